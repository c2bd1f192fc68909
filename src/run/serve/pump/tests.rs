use std::io::{BufReader, Read};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Condvar};

use super::*;

const PUMP: Pump = Pump {
    threads: 2,
    window: 4,
    most_line: 100,
    as_ready: false,
};

/// A number that threads wait for.
#[derive(Default)]
struct Count(Mutex<usize>, Condvar);

impl Count {
    fn add(&self) {
        *self.0.lock().unwrap() += 1;
        self.1.notify_all();
    }

    fn get(&self) -> usize {
        *self.0.lock().unwrap()
    }

    fn wait_for(&self, least: usize) {
        let count = self.0.lock().unwrap();
        drop(self.1.wait_while(count, |n| *n < least).unwrap());
    }
}

fn text(line: &Line) -> String {
    match line {
        Line::Text(text) => text.clone(),
        Line::Broken(_) => "broken".to_owned(),
    }
}

/// The first line is answered after the second one: answers wait for those before, or not.
#[test]
fn answers_come_in_order_or_as_they_are_ready() {
    for (as_ready, expected) in [(false, ["a", "b"]), (true, ["b", "a"])] {
        let done = Count::default();
        let put_before = Count::default();
        let answer = |_: usize, line: &Line| {
            match &*text(line) {
                "a" if as_ready => put_before.wait_for(1),
                "a" => done.wait_for(1),
                _ => done.add(),
            }
            text(line)
        };
        let mut got = Vec::new();
        let served = Pump { as_ready, ..PUMP }.run(&b"a\nb\n"[..], &answer, &mut |a| {
            got.push(a);
            put_before.add();
            Ok(true)
        });
        assert_eq!(served, Ok(Served::All));
        assert_eq!(got, expected);
    }
}

#[test]
fn every_line_gets_its_answer_and_a_bad_one_costs_no_other() {
    let mut input = String::new();
    for k in 0..200 {
        input += &match k % 7 {
            3 => "\n".to_owned(),
            5 => "x".repeat(500) + "\n",
            _ => format!("{k}\n"),
        };
    }
    let answer = |number: usize, line: &Line| (number, text(line));
    let mut got = Vec::new();
    let input = std::io::Cursor::new(input);
    let served = PUMP.run(input, &answer, &mut |a| {
        got.push(a);
        Ok(true)
    });
    assert_eq!(served, Ok(Served::All));
    let expected: Vec<(usize, String)> = (0..200)
        .filter(|k| k % 7 != 3)
        .map(|k| {
            (
                k + 1,
                if k % 7 == 5 {
                    "broken".to_owned()
                } else {
                    k.to_string()
                },
            )
        })
        .collect();
    assert_eq!(got, expected);
}

/// A line at a time, counted.
struct Counted(Arc<Count>, usize);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.1 == 0 {
            return Ok(0);
        }
        self.1 -= 1;
        self.0.add();
        buffer[..2].copy_from_slice(b"x\n");
        Ok(2)
    }
}

/// Nobody takes answers: no more is read than there is room for.
#[test]
fn what_comes_in_faster_than_it_goes_out_waits_outside() {
    let taken = Arc::new(Count::default());
    let input = BufReader::with_capacity(2, Counted(taken.clone(), 1000));
    let most_ahead = AtomicUsize::new(0);
    let mut put = 0;
    let served = PUMP.run(input, &|_, _| (), &mut |()| {
        taken.wait_for((put + PUMP.window).min(1000));
        // Whoever would read on has the time for it.
        if put < 5 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let ahead = taken.get() - put;
        most_ahead.fetch_max(ahead, Ordering::Relaxed);
        put += 1;
        Ok(true)
    });
    assert_eq!(served, Ok(Served::All));
    assert_eq!((put, most_ahead.into_inner()), (1000, PUMP.window));
}

/// An input that sends three lines and then nothing, without an end.
struct Silent(usize);

impl Read for Silent {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            loop {
                std::thread::park();
            }
        }
        self.0 -= 1;
        buffer[..2].copy_from_slice(b"x\n");
        Ok(2)
    }
}

/// Nobody listens any more, and the input stays open: this ends all the same.
#[test]
fn a_closed_pipe_is_an_end() {
    let mut put = 0;
    let served = PUMP.run(BufReader::new(Silent(3)), &|_, _| (), &mut |()| {
        put += 1;
        Ok(put < 2)
    });
    assert_eq!(served, Ok(Served::Left));
    assert_eq!(put, 2);
}

/// An input that breaks off is told, after what was read of it is answered.
#[test]
fn an_input_that_breaks_off_is_told() {
    struct Broken(bool);
    impl Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0 {
                return Err(std::io::Error::other("the disk is gone"));
            }
            self.0 = true;
            buffer[..4].copy_from_slice(b"a\nb\n");
            Ok(4)
        }
    }
    let mut got = Vec::new();
    let served = PUMP.run(
        BufReader::new(Broken(false)),
        &|_, line| text(line),
        &mut |a| {
            got.push(a);
            Ok(true)
        },
    );
    assert_eq!(
        served,
        Ok(Served::Broken(
            "standard input, line 3: the disk is gone".to_owned()
        ))
    );
    assert_eq!(got, ["a", "b"]);
}
