//! Headers of jobs, and comments behind instructions.

use super::*;

#[test]
fn the_folder_of_a_job_and_a_macro_job_are_read() {
    let plain = job(LIST, "MOVJ C00000 VJ=10.00");
    let named = plain
        .replace("//NAME A\n", "//NAME A\n///FOLDERNAME LEFT SIDE\n")
        .replace("///ATTR SC,RW\n", "///ATTR SC,RW,MC\n");
    assert_ne!(plain, named);
    let of = |text: &str| motion(&ways_in(&arm("inform"), text, &[]));
    assert_eq!(of(&plain), of(&named));
    assert!(reason(&named.replace("FOLDERNAME", "FOLDER")).contains("is not understood"));
}

#[test]
fn arguments_of_a_job_are_told() {
    let info = "//ARGINFO\n///ARGTYPE B,,,,,,,\n///COMMENT\nwhich tool\n//INST\n";
    let taking = job(LIST, "MOVJ C00000 VJ=10.00").replace("//INST\n", info);
    let told = reason(&taking);
    assert!(told.contains("takes arguments"), "{told}");
    let way = ways_in(&arm("inform"), &taking, &[]).remove(0);
    assert_eq!((way.unknown.len(), way.moves.len()), (1, 1), "{way:?}");
}

#[test]
fn comments_stand_behind_instructions() {
    let plain = "SET B000 1\nMOVJ C00000 VJ=10.00\nJUMP *L IF B000=1\nMOVJ C00001 VJ=10.00\n*L\nMOVL C00002 V=9.0";
    let noted = plain
        .replace("VJ=10.00", "VJ=10.00  //HOME")
        .replace("B000=1", "B000=1 //SKIP IF C00001")
        .replace("V=9.0", "V=9.0\t// 2ND 5MM");
    assert_eq!(motion(&ways(plain)), motion(&ways(&noted)));
    assert_eq!(known("MOVJ C00000 VJ=10.00\nMSG \"a //b\"").moves.len(), 1);
    // With nothing before them they may be more than a comment.
    for line in ["//MOVJ C00001 VJ=10.00", "MOVJ C00001 VJ=10.00//HOME"] {
        let told = reason(&job(LIST, line));
        assert!(told.contains("not understood"), "{line}: {told}");
    }
}
