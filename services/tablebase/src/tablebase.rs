use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use tabiya_rules::Board;

use crate::{
    OpenError, ProbeError,
    material::Material,
    table::{Kind, Table},
};

/// Endgame tables from one or more folders. Files are opened when a position first needs them, and stay open.
#[derive(Debug)]
pub struct Tablebase {
    /// By material, with either colour as the first.
    entries: HashMap<Material, usize>,
    files: Vec<Files>,
    most_men: usize,
}

/// The two files of a material.
#[derive(Debug)]
struct Files {
    material: Material,
    outcome: Lazy,
    distance: Option<Lazy>,
}

#[derive(Debug)]
struct Lazy {
    path: PathBuf,
    table: OnceLock<Result<Table, ProbeError>>,
}

impl Lazy {
    const fn new(path: PathBuf) -> Self {
        Self {
            path,
            table: OnceLock::new(),
        }
    }

    fn get(&self, kind: Kind, material: Material) -> Result<&Table, ProbeError> {
        let table = self.table.get_or_init(|| Table::open(&self.path, kind, material));
        table.as_ref().map_err(Clone::clone)
    }
}

impl Tablebase {
    /// Finds the tables of these folders. Of a table that is in several, the first folder's is taken.
    ///
    /// # Errors
    /// [`OpenError`] if a folder cannot be listed, or none of them holds a table.
    pub fn open<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<Self, OpenError> {
        let folders: Vec<_> = folders.into_iter().collect();
        let mut tables = Self {
            entries: HashMap::new(),
            files: Vec::new(),
            most_men: 0,
        };
        for folder in &folders {
            tables.scan(folder).map_err(|source| OpenError::Folder {
                path: folder.to_path_buf(),
                source,
            })?;
        }
        if tables.files.is_empty() {
            return Err(OpenError::Empty(
                folders.into_iter().map(Path::to_owned).collect(),
            ));
        }
        Ok(tables)
    }

    fn scan(&mut self, folder: &Path) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path
                .extension()
                .is_none_or(|extension| extension != Kind::Outcome.extension())
            {
                continue;
            }
            let name = path.file_stem().and_then(|stem| stem.to_str());
            let Some(material) = name.and_then(Material::from_name) else {
                continue;
            };
            if self.entries.contains_key(&material) {
                continue;
            }
            let distance = path.with_extension(Kind::Distance.extension());
            self.entries.insert(material, self.files.len());
            self.entries.insert(material.mirrored(), self.files.len());
            self.most_men = self.most_men.max(material.men());
            self.files.push(Files {
                material,
                outcome: Lazy::new(path),
                distance: distance.is_file().then(|| Lazy::new(distance)),
            });
        }
        Ok(())
    }

    /// Men of the greatest table, kings included.
    pub const fn most_men(&self) -> usize {
        self.most_men
    }

    /// Number of materials.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no table; never true of an opened one.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(crate) fn table(&self, board: &Board, kind: Kind) -> Result<&Table, ProbeError> {
        let material = Material::of(board);
        let files = self.entries.get(&material).map(|place| &self.files[*place]);
        let missing = || ProbeError::Missing(format!("{material}.{}", kind.extension()));
        let files = files.ok_or_else(missing)?;
        let lazy = match kind {
            Kind::Outcome => &files.outcome,
            Kind::Distance => files.distance.as_ref().ok_or_else(missing)?,
        };
        lazy.get(kind, files.material)
    }
}
