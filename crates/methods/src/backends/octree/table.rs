//! The answer of a cube by itself: from its colour in the cell and its state in the moving body.

/// The part of the cell that a cube holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Nothing.
    White,
    /// A surface.
    Mixed,
    /// Nothing but the inside of a solid.
    Black,
}

/// Where a cube lies for a moving body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CubeState {
    /// Wholly inside the body's solid.
    Inside,
    /// It meets the body's surface.
    Intersecting,
    /// Wholly outside.
    Outside,
}

/// The answer that follows from both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CubeAnswer {
    /// Body and cell share a point in this cube.
    Interference,
    /// Smaller cubes must tell, or at the smallest ones the triangles.
    Undecided,
    /// They share none.
    Free,
}

/// The table of Noborio, Fukuda and Arimoto.
pub fn answer(colour: Colour, state: CubeState) -> CubeAnswer {
    match (colour, state) {
        (Colour::White, _) | (_, CubeState::Outside) => CubeAnswer::Free,
        (Colour::Black, _) | (Colour::Mixed, CubeState::Inside) => CubeAnswer::Interference,
        (Colour::Mixed, CubeState::Intersecting) => CubeAnswer::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_by_case() {
        use CubeAnswer::{Free, Interference, Undecided};
        let states = [
            CubeState::Inside,
            CubeState::Intersecting,
            CubeState::Outside,
        ];
        for (colour, expected) in [
            (Colour::Black, [Interference, Interference, Free]),
            (Colour::Mixed, [Interference, Undecided, Free]),
            (Colour::White, [Free, Free, Free]),
        ] {
            assert_eq!(states.map(|state| answer(colour, state)), expected);
        }
    }
}
