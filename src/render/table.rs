//! Tables in text.

/// Columns as wide as their widest entry; numbers to the right.
pub(super) fn table(head: &[&str], rows: Vec<Vec<String>>, lines: &mut Vec<String>) {
    let head = head.iter().map(|&h| h.to_owned()).collect::<Vec<_>>();
    let width = |column: usize| {
        let cells = rows
            .iter()
            .chain([&head])
            .map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let number = |column: usize| {
        let starts_so =
            |row: &Vec<String>| row[column].starts_with(|c: char| c.is_ascii_digit() || c == '-');
        rows.iter().any(starts_so)
            && rows
                .iter()
                .all(|row| starts_so(row) || ["no limit", "–"].contains(&row[column].as_str()))
    };
    let right: Vec<bool> = (0..head.len()).map(number).collect();
    for row in [&head].into_iter().chain(&rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            line += &if right[column] {
                format!("  {cell:>width$}")
            } else {
                format!("  {cell:<width$}")
            };
        }
        lines.push(line);
    }
}
