//! Lines that wait, and how they are written.

use std::path::Path;

use super::*;

fn grown(path: &Path, programs: usize) -> LineWriter {
    std::fs::write(path, "head\n").unwrap();
    let file = File::options().append(true).open(path).unwrap();
    LineWriter::new(file, 5, vec![LinePlace::default(); programs])
}

/// Waits until the file has this text: as long as it takes.
fn until(path: &Path, text: &str) {
    while std::fs::read_to_string(path).unwrap() != text {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Hangs when a line waits for the next one, for one before it, or for the end.
#[test]
fn a_line_does_not_wait_for_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let lines = grown(&path, 6);
    let put = |program: usize, line: &[u8]| lines.put(program, line).unwrap();
    put(0, b"one\n");
    until(&path, "head\none\n");
    put(1, b"two\n");
    put(2, b"three\n");
    until(&path, "head\none\ntwo\nthree\n");
    put(5, b"six\n");
    until(&path, "head\none\ntwo\nthree\nsix\n");
    put(3, b"four\n");
    until(&path, "head\none\ntwo\nthree\nsix\nfour\n");
    put(4, b"five\n");
    let places = lines.finish().unwrap().places;
    let starts: Vec<u64> = places.iter().map(|place| place.start).collect();
    assert_eq!(starts, [5, 9, 13, 23, 28, 19]);
}

#[test]
fn many_lines_do_not_wait_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let lines = grown(&path, 1);
    lines.put(0, &vec![b'x'; MOST_WAITING]).unwrap();
    assert_eq!(std::fs::read(&path).unwrap().len(), 5 + MOST_WAITING);
    // Neither do many that are early.
    let lines = grown(&path, 2);
    lines.put(1, &vec![b'x'; MOST_EARLY + 1]).unwrap();
    lines.put(0, &vec![b'y'; MOST_WAITING]).unwrap();
    let text = std::fs::read(&path).unwrap();
    assert_eq!(text.len(), 5 + MOST_EARLY + 1 + MOST_WAITING);
    assert_eq!((text[5], text.last()), (b'x', Some(&b'y')));
}

/// Lines that come a little out of order are put into it, beside those that were kept.
#[test]
fn lines_have_the_order_of_their_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    std::fs::write(&path, "head\n").unwrap();
    let file = File::options().append(true).open(&path).unwrap();
    let kept = LinePlace {
        start: 0,
        length: 5,
    };
    let mut places = vec![LinePlace::default(); 1000];
    (0..1000)
        .step_by(10)
        .for_each(|program| places[program] = kept);
    // Without the thread, which would let none wait for long.
    let shared = Shared::new(file, 5, places);
    let mut lines = shared.lock();
    let mut text = "head\n".to_owned();
    for chunk in (0..1000).collect::<Vec<usize>>().chunks(32) {
        let (first, second) = chunk.split_at(chunk.len().min(16));
        for program in second.iter().chain(first).filter(|&k| k % 10 != 0) {
            lines.put(*program, format!("{program}\n").as_bytes());
        }
        for program in chunk.iter().filter(|&k| k % 10 != 0) {
            text += &format!("{program}\n");
        }
    }
    assert!(lines.early.is_empty() && lines.early_text.is_empty());
    let lines = shared.write(lines);
    assert!(lines.sound().is_ok());
    assert!(lines.places.iter().step_by(10).all(|&place| place == kept));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

/// With many threads some line is always early: what was early and is written takes no room.
#[test]
fn lines_keep_their_order_where_one_is_always_early() {
    const LINES: usize = 4 * MOST_EARLY / 1000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    std::fs::write(&path, "head\n").unwrap();
    let file = File::options().append(true).open(&path).unwrap();
    let shared = Shared::new(file, 5, vec![LinePlace::default(); LINES + 3]);
    let mut lines = shared.lock();
    let line = |program: usize| format!("{program:0>1000}\n");
    let mut put = |program: usize| lines.put(program, line(program).as_bytes());
    put(1);
    for even in (0..LINES).step_by(2) {
        put(even + 3);
        put(even);
    }
    drop(shared.write(lines));
    let text = std::fs::read_to_string(&path).unwrap();
    let in_order: String = (0..text.len() / 1001).map(line).collect();
    assert!(text.len() > 3 * MOST_EARLY && text == format!("head\n{in_order}"));
}

/// Text that was taken to be written has its turn before other text can be taken: who waits for the
/// file lets nobody else add a line.
#[test]
fn text_is_written_in_the_order_in_which_it_was_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let lines = grown(&path, 1);
    let file = lines.shared.lock_file();
    std::thread::scope(|scope| {
        scope.spawn(|| lines.put(0, &vec![b'x'; MOST_WAITING]).unwrap());
        let mut kept_out = 0;
        while kept_out < 100 {
            match lines.shared.waiting.try_lock() {
                Ok(waiting) => assert_eq!(waiting.unsynced, 0, "others add lines behind it"),
                Err(_) => kept_out += 1,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(file);
    });
    assert_eq!(std::fs::read(&path).unwrap().len(), 5 + MOST_WAITING);
}

/// Whatever the end is, and wherever the lines came from, each stands where it was said to.
#[test]
fn nothing_is_lost_at_the_end() {
    const EACH: usize = 3000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let line = |program: usize| format!("{program} {}\n", "y".repeat(program % 200));
    for finished in [true, false] {
        let lines = grown(&path, 4 * EACH);
        // The first thread has the last programs.
        let put = |thread: usize| {
            let programs = (3 - thread) * EACH..(4 - thread) * EACH;
            programs.for_each(|k| lines.put(k, line(k).as_bytes()).unwrap());
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || put(thread));
            }
        });
        let mut places = None;
        if finished {
            places = Some(lines.finish().unwrap().places);
        } else {
            drop(lines);
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (program, place) in places.iter().flatten().enumerate() {
            let start = place.start as usize;
            assert_eq!(text[start..][..place.length as usize], line(program));
        }
        let mut written: Vec<&str> = text.split_inclusive('\n').skip(1).collect();
        written.sort_unstable();
        let mut all: Vec<String> = (0..4 * EACH).map(line).collect();
        all.sort_unstable();
        assert!(written == all);
    }
}

/// An error that nobody was there to hear is heard by the next one, and at the end.
#[test]
fn what_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    drop(grown(&path, 0));
    let only_read = || {
        let file = File::open(&path).unwrap();
        LineWriter::new(file, 5, vec![LinePlace::default(); 3])
    };
    assert!(only_read().put(0, &vec![b'x'; MOST_WAITING]).is_err());
    let lines = only_read();
    lines.put(0, b"one\n").unwrap();
    while lines.put(1, &[]).is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(lines.finish().is_err());
    for program in [0, 2] {
        let lines = only_read();
        lines.put(program, b"one\n").unwrap();
        assert!(lines.finish().is_err());
    }
}
