//! Computed orientations, whose quaternion may have either sign on a controller.

use super::*;

const TWO: &str = "VAR robtarget q;\nVAR robtarget s;\nVAR orient o;\nVAR pose b;\nVAR num n;\n\
    CONST pose a:=[[0,0,100],[0.8,0.6,0,0]];\n";

/// Regression: each number of a computed orientation was read with the sign that was computed here,
/// and set beside numbers of another orientation: a controller that had the opposite quaternion
/// turned the tool elsewhere.
#[test]
fn a_number_of_a_computed_orientation_means_nothing_alone() {
    for body in [
        "q:=RelTool(p,0,0,0\\Rx:=30);\ns:=p;\ns.rot.q2:=q.rot.q2;\nMoveL s,v100,fine,t;",
        "q:=RelTool(p,0,0,0\\Rx:=30);\nq.rot.q2:=-q.rot.q2;\nMoveL q,v100,fine,t;",
        "q:=RelTool(p,0,0,0\\Rx:=30);\nq.rot.q1:=0;\nMoveL q,v100,fine,t;",
        "b:=PoseMult(a,a);\nq:=p;\nq.rot:=[b.rot.q1,b.rot.q2,0,0];\nMoveL q,v100,fine,t;",
        "b:=PoseInv(a);\no:=b.rot;\nq:=p;\nq.rot:=[0.8,o.q2,0,0];\nMoveL q,v100,fine,t;",
        "o:=OrientZYX(10,20,30);\nq:=p;\nq.rot.q4:=o.q4;\nMoveL q,v100,fine,t;",
        "o:=NOrient(OrientZYX(10,20,30));\nq:=p;\nq.rot.q4:=o.q4;\nMoveL q,v100,fine,t;",
        "o:=a.rot*a.rot;\nq:=p;\nq.rot:=[0,0,o.q2,o.q1];\nMoveL q,v100,fine,t;",
        "b:=PoseMult(a,a);\nq:=p;\nq.trans.x:=500+100*b.rot.q2;\nMoveL q,v100,fine,t;",
    ] {
        let said = reason(TWO, body);
        assert!(said.contains("the opposite quaternion"), "{body}: {said}");
    }
}

#[test]
fn a_computed_orientation_is_known_as_a_whole() {
    let way = known(
        TWO,
        "q:=RelTool(p,0,0,0\\Rx:=30);\nMoveL q,v100,fine,t;\ns:=p;\ns.rot:=q.rot;\nMoveL s,v100,fine,t;\n\
         s.rot:=NOrient(q.rot);\nMoveL s,v100,fine,t;\ns.rot:=q.rot*[1,0,0,0];\nMoveL s,v100,fine,t;\n\
         q.trans.x:=510;\nq:=Offs(q,-10,0,0);\nMoveL q,v100,fine,t;\nq.rot:=[0.8,0.6,0,0];\nMoveL q,v100,fine,t;\n\
         q.rot.q1:=a.rot.q1;\nq.rot.q2:=-a.rot.q2;\nMoveL q,v100,fine,t;",
    );
    let axis = |k: usize| pose(&way.moves[k].target).1.rotation * Vector3::z();
    let turned = Vector3::new(0.0, -0.5, -0.75_f64.sqrt());
    for k in 0..5 {
        assert!((axis(k) - turned).norm() < 1e-6, "{k}: {}", axis(k));
    }
    // Those that are written are what they are.
    assert!((axis(5) - Vector3::new(0.0, -0.96, 0.28)).norm() < 1e-6);
    assert!((axis(6) - Vector3::new(0.0, 0.96, 0.28)).norm() < 1e-6);
}

/// Two that the same numbers were found for may have different signs.
#[test]
fn numbers_of_two_computed_orientations_are_not_those_of_one() {
    let body = "q:=RelTool(p,0,0,0\\Rx:=30);\ns:=RelTool(p,0,0,0\\Rx:=30);\n\
        q.rot:=[s.rot.q1,q.rot.q2,q.rot.q3,q.rot.q4];\nMoveL q,v100,fine,t;";
    assert!(reason(TWO, body).contains("the opposite quaternion"));
}
