//! Where the moves stand in their file: serde tells no places of what it has read.

/// The line (from 1) on which each entry of the list `moves` begins. The text is JSON.
pub(super) fn of_moves(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut line, mut depth, mut key, mut in_moves) = (1, 0, "", false);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\n' => line += 1,
            b'"' => {
                let mut end = text.len();
                while let Some((next, byte)) = bytes.next() {
                    match byte {
                        // What is escaped ends nothing.
                        b'\\' => _ = bytes.next(),
                        b'"' => {
                            end = next;
                            break;
                        }
                        _ => (),
                    }
                }
                if depth == 1 {
                    key = text.get(at + 1..end).unwrap_or_default();
                }
            }
            b'{' | b'[' => {
                match depth {
                    1 => in_moves = key == "moves",
                    2 if in_moves => found.push(line),
                    _ => (),
                }
                depth += 1;
            }
            b'}' | b']' => depth -= 1,
            _ => (),
        }
    }
    found
}
