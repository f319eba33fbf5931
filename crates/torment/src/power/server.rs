//! The process with the disk: it serves requests of the kernel, and takes orders from the trial.
//!
//! ```text
//! orders:   cut                       nothing works any more
//!           lose SEED                 by chance, what was not durable is gone; all works again,
//!                                     under the name of the next image
//!           fail WRITES FLUSHES READS so many of a million fail from now on
//!           refuse NUMBER             writes that hold this u64, little-endian, fail from now on
//!           accept                    that is over
//! answers:  a line each
//! ```

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use disk::Random;

use super::layer::{Health, Layer};
use super::protocol::{
    EIO, ENOENT, ENOSYS, Operation, ROOT, Request, WRITE_BYTES_MAX, attributes_answer,
    entry_answer, init_answer, open_answer, statistics_answer, write_answer,
};

/// The node of the first image.
const FIRST_IMAGE: u64 = ROOT + 1;

/// A disk behind a directory.
struct Disk {
    layer: Layer,
    /// Earlier images do not exist any more, though their devices may still send requests.
    image: u64,
}

/// The main function of the process, which serves a disk of a given size at a directory.
pub(crate) fn serve(words: &[String]) -> ExitCode {
    let [directory, bytes] = words else { return ExitCode::from(2) };
    let Ok(bytes) = bytes.parse() else { return ExitCode::from(2) };
    match testbed::end_with_parent().and_then(|()| serve_at(Path::new(directory), bytes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("{}", reason.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn serve_at(directory: &Path, bytes: u64) -> Result<(), String> {
    let device = OpenOptions::new().read(true).write(true).open("/dev/fuse");
    let device = device.map_err(|error| format!("/dev/fuse: {error}"))?;
    mount(&device, directory)?;
    let disk = Arc::new(Mutex::new(Disk { layer: Layer::new(bytes), image: FIRST_IMAGE }));
    let served = Arc::clone(&disk);
    std::thread::spawn(move || answer_kernel(device, &served));
    println!("ready");
    for order in std::io::stdin().lock().lines().map_while(Result::ok) {
        let told = obey(&order, &mut disk.lock().unwrap_or_else(PoisonError::into_inner));
        println!("{told}");
    }
    // The trial has ended; remaining devices get read errors from now on.
    let _ = rustix::mount::unmount(directory, rustix::mount::UnmountFlags::DETACH);
    Ok(())
}

fn mount(device: &File, directory: &Path) -> Result<(), String> {
    use rustix::mount::MountFlags;
    let options = format!("fd={},rootmode=40000,user_id=0,group_id=0", device.as_raw_fd());
    let options = std::ffi::CString::new(options).map_err(|error| error.to_string())?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("torment", directory, "fuse", flags, options.as_c_str())
        .map_err(|error| format!("a FUSE file system at {}: {error}", directory.display()))
}

fn obey(order: &str, disk: &mut Disk) -> String {
    let mut words = order.split(' ');
    let verb = words.next();
    let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
    match (verb, &numbers[..]) {
        (Some("cut"), []) => {
            disk.layer.health.is_off = true;
            "cut".into()
        }
        (Some("lose"), [seed]) => {
            let lost = disk.layer.lose(&mut Random::new(*seed));
            disk.layer.health = Health::default();
            disk.image += 1;
            format!("lost {lost}")
        }
        (Some("fail"), [writes, flushes, reads]) => {
            let [writes, flushes, reads] = [writes, flushes, reads].map(|it| *it as u32);
            disk.layer.health.failing_writes = writes;
            disk.layer.health.failing_flushes = flushes;
            disk.layer.health.failing_reads = reads;
            "failing".into()
        }
        (Some("refuse"), [number]) => {
            disk.layer.health.refused = Some(number.to_le_bytes());
            "refusing".into()
        }
        (Some("accept"), []) => {
            disk.layer.health.refused = None;
            "accepting".into()
        }
        _ => format!("no such order: {order}"),
    }
}

fn answer_kernel(mut device: File, disk: &Mutex<Disk>) {
    let mut message = vec![0; WRITE_BYTES_MAX + 4096];
    // An error means that the directory was unmounted.
    while let Ok(length) = device.read(&mut message) {
        let Some(request) = Request::parse(&message[..length]) else { continue };
        if request.operation == Operation::Silent {
            continue;
        }
        let answer = disk.lock().unwrap_or_else(PoisonError::into_inner).answer(&request);
        // An interrupted request needs no reply.
        let _ = device.write(&request.reply(answer));
    }
}

impl Disk {
    fn answer(&mut self, request: &Request<'_>) -> Result<Vec<u8>, i32> {
        let (node, bytes) = (request.node, self.layer.bytes);
        match request.operation {
            Operation::Init => Ok(init_answer()),
            Operation::Lookup { name } => {
                let expected = format!("image{}", self.image - FIRST_IMAGE);
                match name == expected.as_bytes() {
                    true => Ok(entry_answer(self.image, bytes)),
                    false => Err(ENOENT),
                }
            }
            Operation::Attributes => Ok(attributes_answer(node, bytes)),
            Operation::Open => Ok(open_answer()),
            Operation::Statistics => Ok(statistics_answer()),
            Operation::Nothing => Ok(Vec::new()),
            Operation::Silent | Operation::Unknown => Err(ENOSYS),
            Operation::Read { .. } | Operation::Write { .. } | Operation::Flush
                if node != self.image =>
            {
                Err(EIO)
            }
            Operation::Read { offset, length } => {
                let length = length.min(bytes.saturating_sub(offset) as usize);
                self.layer.read(offset, length).map_err(|_| EIO)
            }
            Operation::Write { offset, data } => {
                self.layer.write(offset, data).map_err(|_| EIO)?;
                Ok(write_answer(data.len()))
            }
            Operation::Flush => self.layer.flush().map(|()| Vec::new()).map_err(|_| EIO),
        }
    }
}
