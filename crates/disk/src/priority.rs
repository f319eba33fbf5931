//! Which thread runs first where all processors are busy.

use std::io;

/// Makes the calling thread nicer than others (`setpriority(2)`): from 0, as all are, to 19.
/// Of two threads on one processor, the other one gets 1.25 times as much for each step.
///
/// # Errors
/// Those of `setpriority(2)`: it cannot become less nice again.
pub fn make_this_thread_nice(niceness: i32) -> io::Result<()> {
    // On Linux, process 0 is the calling thread.
    Ok(rustix::process::setpriority_process(None, niceness)?)
}

#[cfg(test)]
mod tests {
    use super::make_this_thread_nice;

    #[test]
    fn only_the_calling_thread_becomes_nice() {
        let of_this = || rustix::process::getpriority_process(None).expect("it has one");
        let before = of_this();
        let nice = move || {
            make_this_thread_nice(before + 5).expect("a thread may become nicer");
            of_this()
        };
        let of_other = std::thread::spawn(nice).join().expect("it does not panic");
        assert_eq!(of_other, (before + 5).min(19));
        assert_eq!(of_this(), before);
    }
}
