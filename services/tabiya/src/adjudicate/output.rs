//! Where rulings go.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use crate::failure::Failure;

/// Standard output, or a file.
pub(super) struct Output {
    name: String,
    writer: BufWriter<Box<dyn Write + Send>>,
}

impl Output {
    /// Opens an output.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let (name, writer): (_, Box<dyn Write + Send>) = match path {
            None => ("standard output".to_owned(), Box::new(io::stdout())),
            Some(path) => {
                let name = path.display().to_string();
                match File::create(path) {
                    Ok(file) => (name, Box::new(file)),
                    Err(source) => return Err(Failure::Unopened { name, source }),
                }
            }
        };
        Ok(Self {
            name,
            writer: BufWriter::with_capacity(1 << 16, writer),
        })
    }

    /// Writes text, perhaps not at once.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn write(&mut self, text: &[u8]) -> Result<(), Failure> {
        self.writer
            .write_all(text)
            .map_err(|source| failure(&self.name, source))
    }

    /// Writes what is held.
    ///
    /// # Errors
    /// If the system refuses.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|source| failure(&self.name, source))
    }
}

fn failure(name: &str, source: io::Error) -> Failure {
    Failure::Output {
        name: name.to_owned(),
        source,
    }
}
