//! Checks that the bodies of a cell stay apart along a motion, by a certificate that somebody else
//! has made.
//!
//! The maker of a certificate may be as clever as he likes: this checker believes nothing of it. It
//! computes every place and every bound itself, in integers. The certificate decides only *how to
//! divide the question*: where time is halved, where the triangles of a body are halved, and a
//! direction in which two groups of triangles are apart.
//!
//! # The statement
//!
//! A geometry file has joints (each with its place in the frame of the joint before it, and an
//! axis), bodies (parts made of triangles, each in the frame of the joint that it moves with, or of
//! the world), and pairs of bodies with a distance D, or with a reason why they are not checked. A
//! certificate has the motion: segments, in each a polynomial of degree 5 or less for each joint,
//! over s from 0 to 1; each segment begins exactly where the one before ends. The statement is:
//! **at every instant of every segment, any two points of the two bodies of a pair that is checked
//! are more than D apart.** A part with a radius r means all points within r of its triangles. Two
//! bodies on the same joint (or both on none) never change their distance and are not a pair; every
//! other pair is in the file. **Nor does any piece of the one (triangles that hang together by
//! corners) lie inside the other one then.** The file says which triangles bound what is solid. A
//! point is inside a part if these go round it, each counted as it is wound; what they leave to the
//! outside or to a hollow is not inside.
//!
//! Events hand bodies over from one joint to another one, or to the world. Then the file has the
//! body once more from that segment on (`change`), with its triangles in the frame of the new
//! joint, and it is there the old way until then: at every instant once. A line about a pair may
//! hold for some segments only (`during`): in each segment in which both bodies are there, exactly
//! one line says that the pair is checked or why not. Segments have both their ends, so at the
//! instant of an event both lines hold, the one before it and the one after it, each for its own
//! place of the body. The statement says which corner of the body is how far away then from where
//! it was.
//!
//! **Errors.** A geometry file may say what is off (`off`): the value of a joint by an angle or a
//! length, a frame that stands (`stands`) by a shift of some length in any direction and by a turn
//! of some angle about any line through its origin. The motion may say of each segment how far the
//! value of a joint is off its polynomial. All of this may change with time, each independent of
//! all others; the statement is then about every motion with such errors. Bodies that the same
//! joint moves (or none) are not a pair, whatever frames stand between.
//!
//! A certificate of a first contact is about a motion without errors. It says this of every instant
//! before `free_until` only, and that at `time`, not before it, two bodies of a pair that is
//! checked come within D + 2⁻³⁰ m (a nanometre) of one another. Instants are counted in 2⁻⁴⁰ of a
//! segment.
//!
//! # Numbers
//!
//! Coordinates in files are integers in units of 2⁻⁴⁰ m, at most 2⁵² (4 km), and so is what a joint
//! slides; no chain has more than 128 joints. So no place is farther away than (128·(√3 + 1) + √3)·2⁵²
//! < 2⁶⁰·⁵, and no two places are farther apart than 2⁶¹·⁵. Entries of rotations are in units of
//! 2⁻⁶⁰; coefficients of joints in units of 2⁻⁵⁰ rad (or m), the sum of their sizes at most 2⁶². `>>`
//! rounds down, by less than one unit. Products are made in 128 bits, none gets beyond 2¹²⁴, and
//! the build checks for overflow all the same. Bounds that grow beyond 2⁶¹ stay there, and from 2⁵⁹
//! on they prove nothing. A pose (R, t) comes with two bounds, `turn` on ‖R̂ − R‖ (2⁻⁶⁰) and `shift`
//! on |t̂ − t| (2⁻⁴⁰); R is a rotation, R̂ the matrix in memory.
//!
//! - *Quaternion* q ≠ 0 means the rotation of q/|q|. Its entries are quotients of quadratic forms
//!   of q and |q|²; with |q|² cut to 60 bits each is off by at most 3 units, the matrix by 9.
//!   (`pose.rs` says 16.)
//! - *Sine and cosine* of x: x minus a multiple of π/2 (known to 2⁻⁹⁰, times at most 2¹²), then
//!   Taylor to r²¹: the rest is below 0.8²²/22! < 2⁻⁷⁶, and each Horner step divides the error
//!   before it by more than 2 and adds at most 3. Below 16 units.
//! - *Turning about an axis*: R = cI + s\[a\]× + (1 − c)aaᵀ, â within 6 units of the unit vector a;
//!   the error is at most 2·16 + 16 + 6 + 24 + 9 units and one for x. (128.) *Product*: ‖ÂB̂ − AB‖
//!   ≤ α + β + αβ, and 3 for rounding. *Places*:
//!   |Ât̂ − At| ≤ α|t̂| + τ, and 2 for rounding. *Seen from another pose*: the same with the
//!   transposed matrix.
//!
//! # Lemma 1 (a polynomial on an interval)
//!
//! p(s) = Σ bᵢ C(5,i) sⁱ(1−s)⁵⁻ⁱ on [0, 1]. The weights are ≥ 0 and their sum is 1, so p lies
//! between the least and the greatest bᵢ. p′ has the same form with 5(bᵢ₊₁ − bᵢ), p″ with 20(bᵢ₊₂ −
//! 2bᵢ₊₁ + bᵢ): so |p′| ≤ V = 5 max|bᵢ₊₁ − bᵢ| and |p″| ≤ A = 20 max|…|. p(0) = b₀, p(1) = b₅. De
//! Casteljau's averages give the bᵢ of both halves, each as a function of its own unit time.
//! Numbers are kept to 2⁻⁹⁰; a halving adds fewer than 5 units of error, at most 40 halvings 201; V
//! and A are rounded up to 2⁻⁴⁰, which is more than that by far. A joint whose coefficients after
//! the first are 0 has V = A = 0.
//!
//! # Lemma 2 (distance from an axis)
//!
//! Let a point c be fixed in a part whose joints are 1 … n from the world outwards, ρⱼ its distance
//! from the axis of joint j. Seen from the frame of joint j, c moves by the joints beyond j only,
//! each moving it at a speed ≤ V_k ρ_k (turning) or V_k (sliding: put ρ_k = 1). So ρⱼ changes at a
//! rate of at most L = Σ_{k>j} V_k f_k where f_k bounds ρ_k, and from ρⱼ(t) ≤ ρⱼ(0) + Lt and ρⱼ(t)
//! ≤ ρⱼ(1) + L(1−t): ρⱼ ≤ fⱼ = ½(ρⱼ(0) + ρⱼ(1) + L). Outermost joint first. Another point of the
//! part at distance d from c has ρⱼ ≤ fⱼ + d.
//!
//! # Lemma 3 (chord bound)
//!
//! Let p move for a unit of time, and x(t) = (1−t)p(0) + t p(1) be its chord. If |p′| ≤ S then p −
//! x = (1−t)(p(t) − p(0)) + t(p(t) − p(1)) has length ≤ 2t(1−t)S ≤ S/2. If |p″| ≤ K then, by
//! Taylor's formula with Green's function, |p − x| ≤ t(1−t)K/2 ≤ K/8. For a point of a part, ∂p/∂qⱼ
//! has length ρⱼ (1 for sliding), so S = Σ Vⱼ ρⱼ. And ∂²p/∂qᵢ∂qⱼ = aᵢ × ∂p/∂qⱼ for i not beyond j
//! and i turning, 0 for i sliding; so K = Σⱼ ρⱼ (Aⱼ + [j turns] Vⱼ² + 2Vⱼ Σ_{i before j, turning}
//! Vᵢ). Seen from the frame of the last joint that two parts share, the joints up to it stand
//! still: the sums begin beyond it. Distances do not depend on the frame. So the chord bound is at
//! most e + g·d for all points within d of c, in two ways (S and K).
//!
//! # Lemma 4 (a stretch of several segments)
//!
//! Let every joint stay within Δⱼ of a value q̄ⱼ. Go from q̄ to any q of the stretch straight in a
//! unit of time: |qⱼ′| ≤ Δⱼ, and lemma 2 with V = Δ and one end (f = ρ(q̄) + L) and S of lemma 3
//! say that a point is never farther than S from its place at q̄.
//!
//! # Lemma 5 (direction)
//!
//! Let groups of points P, Q and a vector n ≠ 0 be such that at both ends of an interval n·(p −
//! q) > |n|(D + β + γ) for all p ∈ P, q ∈ Q, β and γ being their chord bounds. At an instant
//! between, the chords' points satisfy the same inequality (a convex combination of the two ends),
//! p and q are at most β and γ from them, so n·(p − q) > |n|D: they are more than D apart. (A
//! stretch has one "end", q̄, and β, γ of lemma 4.) It suffices to look at the corners of
//! triangles: each point of a triangle is a convex combination of its corners, at every instant
//! with the same weights. The corners of a box around them serve as well. Errors: n·p is computed
//! as n̂ = R̂ᵀn (off by 2 units of a vector with a component ≥ 2⁵³) times integers; so each side
//! needs `shift` + (`turn` + 2⁹)·|p| more.
//!
//! # Lemma 6 (nothing is left out)
//!
//! The walk keeps a list of rectangles: (pair of parts, a range of triangles of the one, a range of
//! the other), first all triangles of all pairs, over all segments. An operation of the certificate
//! replaces one by what is left of it: by nothing, if lemma 5 holds for it; by two, if a range is
//! halved; or hands it on to both halves of the time. A stretch's halves are its first and its
//! second segments, a segment's its halves. When the walk ends all lists are empty, so by induction
//! each pair of triangles at each instant lies in a rectangle that lemma 5 has settled. The checker
//! halves by itself: there is nothing in the certificate to leave out. Before a first contact: the
//! walk is over the segments that begin before `free_until`, and a half of the time that begins at
//! `free_until` or later is left out. If an interval begins before `free_until` and is halved, no
//! instant before `free_until` is in a half that is left out.
//!
//! # Lemma 7 (contact)
//!
//! Weights ≥ 0 with the sum 1 make a point of a triangle of its corners. Two such points, placed at
//! an instant, are at most as far apart as their computed places and the errors of both: 2 units
//! each for rounding, and `shift` + `turn`·|p| + 2 of the pose, at places that come from halving
//! the time (lemma 1) down to that instant. Points within D + r + r′ + 2⁻³⁰ m of one another, on
//! parts with radii r and r′, show that the bodies come within D + 2⁻³⁰ m. A pair that is not there
//! in all segments is there in one that has this instant as an end, or within.
//!
//! # Lemma 8 (inside)
//!
//! Let the solid triangles of a part have each edge as often one way as the other (the checker
//! counts them). Then a whole number w(x) says how often they go round a point x on none of them:
//! send a ray from x that meets no edge, and add 1 for each triangle that it leaves through (wound
//! counter-clockwise as seen from ahead) and −1 for each that it enters through. It is the same
//! for all such rays, and for all points that can be joined without meeting a triangle: as the ray
//! moves across an edge, what it loses on one side it gains on the other. With nothing ahead w = 0.
//!
//! Let C be a piece of another part, and let both be farther apart than D ≥ 0 from an instant on,
//! until another one. Seen from the part, C meets none of its triangles in that time, and any two
//! points of C at any two instants can be joined: along C to a third point, then along its way. So
//! w is one number for all of C and for all that time, and **one corner at one instant decides**. A
//! line that checks a pair for some segments is proved by lemma 6 for all of them (or until
//! `free_until`), so one instant is asked for each such line, whatever was before: nobody knows
//! what happened while a pair was not checked, or as a body was put elsewhere.
//!
//! - *Proved apart as a whole.* Where lemma 5 has settled all triangles of both parts together, at
//!   some instant of these segments, a plane is between them then: w = 0 for both, and all their
//!   pieces.
//! - *Beside the box.* Otherwise both are placed as these segments begin, the one part as it is
//!   seen from the other one. A piece with the first corner of one of its triangles beside the box
//!   around the other part, by more than 1234567 units (it is off by less), has w = 0: a ray leads
//!   away from it.
//! - *A ray.* Of every other piece the first corner of its first triangle is taken, and the
//!   certificate gives a direction d. Let the corner be off by at most δ. On the line along d lies
//!   a point of a triangle pqr only if d·(p × q), d·(q × r), d·(r × p), seen from the corner, do
//!   not have two opposite signs; it passes through the inside if all three have one sign. If the
//!   corner moves by δ, d·(p × q) changes by at most δ|d||p − q|. Where the sign of one that counts
//!   is within that, the ray decides nothing. A triangle all of which lies behind by more than δ|d|
//!   does not count. One that the line goes through is ahead if n·d and n·p have one sign, n = (q −
//!   p) × (r − p) being its normal: n·d is the sum of the three, and n·p changes by at most δ|n|
//!   (n is cut to 60 bits, off by less than 1 in each coordinate). Whole ranges of triangles are
//!   left out where all of the box around them lies behind, or on one side of a plane through the
//!   line. w has to be 0.
//!
//! Pieces are found from the indices of corners, so none can be left out. A piece of solid
//! triangles inside another one of the same body does not concern any pair.
//!
//! Errors of a given time can be made smaller step by step until there are none. With lemma 9 the
//! parts stay apart meanwhile, so w is the same with errors and without, and places without them
//! decide.
//!
//! # Lemma 9 (errors)
//!
//! Put the errors in one after the other, that of the outermost joint first, all others still
//! exact. Let p be the place of a point without errors, at ρⱼ from the axis of joint j (from the
//! origin, where a frame is turned), and p + d its place when it is the turn of joint j, |d| ≤ E.
//! The error of j is a rigid motion F of everything beyond it, a shift of length ≤ τⱼ and a turn by
//! an angle ≤ θⱼ about where axis or origin are without errors, for only joints beyond have been
//! put off. It takes p + d to F(p) + Rd, R being the turn: |Rd| ≤ E, and F moves p by at most τⱼ +
//! θⱼρⱼ. So after all joints beyond the last shared one |d| ≤ Σ (τⱼ + θⱼρⱼ): of any size, with
//! nothing left out. (Errors of joints that both parts share move both alike.) By lemma 2 ρⱼ ≤ fⱼ +
//! |p − c| over an interval; the origin of a frame is treated as an axis is. So a point that is
//! within β of its chord is within β + E(p) of it with errors, E(p) = Σ (τⱼ + θⱼ(fⱼ + |p − c|)), at
//! every instant, and lemma 5 holds with that in place of β. Or E(p) = Σ (τⱼ + θⱼfⱼ) with the fⱼ of
//! p itself: they are convex in p, being made of distances from axes with weights ≥ 0, so a point
//! of a triangle has no greater E than its corners have by its weights. So lemma 5 holds with the
//! E of each corner taken off its own n·p.
//!
//! *A body that is handed over* is where the errors of that instant have brought it, and what takes
//! it is off as well. Let E and E′ be those of a corner on the chain until then and on the new one,
//! from where they part. Then the corner begins, seen from the new chain, within E + E′ of where
//! the file has it, and is carried on there, however the joints are off later. So the last frame
//! of the new chain has to be one that may be off by as much, shift + turn·|p| ≥ E + E′ for each
//! corner p, its own errors not counted in E′; then E(p) takes it in at every later instant, and
//! as the body is handed over again. Nothing that moves may stand in this frame: bodies on it move
//! with one joint and are no pair, so no pair has it in common and leaves it out. Each value has
//! one error at an instant, which both segments that meet there bound; those of the second count.
//! (Two nanometres may lack, and are said.)
//!
//! # Where
//!
//! `numbers.rs`: roots, sines, SHA-256. `pose.rs`: rigid motions. `shapes.rs`: triangles and boxes
//! around them. `cell.rs`: joints, bodies, pairs, and when each of them holds. `files.rs`,
//! `reader.rs`: reading. `motion.rs`: lemmas 1 to 4 and 9. `pairs.rs`: pairs of parts.
//! `contact.rs`: lemma 7. `inside.rs`: lemma 8. `walk.rs`: lemmas 5 and 6. `statement.rs`: what was
//! proved, in words. `main.rs`: the command.
#![forbid(unsafe_code)]

pub mod cell;
pub mod contact;
pub mod files;
pub mod inside;
pub mod motion;
pub mod numbers;
pub mod pairs;
pub mod pose;
mod reader;
pub mod shapes;
pub mod statement;
pub mod walk;

#[cfg(test)]
mod tests;

/// The error in a file or a proof, and where it is.
pub type Invalid = Box<dyn std::error::Error + Send + Sync>;
