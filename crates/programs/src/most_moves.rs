//! What is said of a way that makes more moves than anybody wants to follow.

/// No way makes more moves.
pub(crate) const MOST_MOVES: usize = 100_000;

/// Why a way that has made so many moves is not followed any more.
pub(crate) fn too_many_moves(made: usize) -> String {
    format!(
        "{made} moves are made up to here, and more are not followed; a loop ends by itself where it comes back to a state in which it was, and here something is different in every round (a counter, a register): set it anew at the start of the loop, or leave it out for the check"
    )
}
