use std::{
    collections::{HashMap, hash_map::Entry},
    fs,
    path::{Path, PathBuf},
};

use tabiya_rules::Board;

use crate::{
    OpenError, ProbeError,
    bytes::Room,
    digest::Digest,
    material::Material,
    table::{Kind, Table},
};

/// Endgame tables from one or more folders. All files are opened at once and stay open; of greater ones only the headers
/// are in memory.
#[derive(Debug)]
pub struct Tablebase {
    /// By material, with either colour as the first.
    entries: HashMap<Material, usize>,
    tables: Vec<Tables>,
    most_men: usize,
    digest: Digest,
}

/// The two tables of a material.
#[derive(Debug)]
struct Tables {
    outcome: Table,
    distance: Option<Table>,
}

impl Tablebase {
    /// Opens the tables of these folders. Of a file that is in several, the first folder's is taken; the two files of a
    /// material may be in different ones.
    ///
    /// # Errors
    /// [`OpenError`] if a folder cannot be listed, none of them holds a table, or one of the tables is damaged as far as its
    /// headers tell.
    pub fn open<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<Self, OpenError> {
        let folders: Vec<_> = folders.into_iter().collect();
        let outcomes = find(&folders, Kind::Outcome)?;
        let mut distances: HashMap<_, _> = find(&folders, Kind::Distance)?
            .into_iter()
            .map(|(material, path)| (material.either(), (material, path)))
            .collect();
        let mut opened = Self {
            entries: HashMap::new(),
            tables: Vec::new(),
            most_men: 0,
            digest: Digest::default(),
        };
        let mut room = Room::default();
        for (material, path) in outcomes {
            let mut open = |path: &Path, kind, material| {
                let table = Table::open(path, kind, material, &mut room)?;
                opened.digest.add(material, kind, table.bytes())?;
                Ok::<_, ProbeError>(table)
            };
            let outcome = open(&path, Kind::Outcome, material)?;
            let distance = match distances.remove(&material.either()) {
                Some((material, path)) => Some(open(&path, Kind::Distance, material)?),
                None => None,
            };
            opened.entries.insert(material, opened.tables.len());
            opened.entries.insert(material.mirrored(), opened.tables.len());
            opened.most_men = opened.most_men.max(material.men());
            opened.tables.push(Tables { outcome, distance });
        }
        if opened.tables.is_empty() {
            return Err(OpenError::Empty(
                folders.into_iter().map(Path::to_owned).collect(),
            ));
        }
        Ok(opened)
    }

    /// Men of the greatest table, kings included.
    pub const fn most_men(&self) -> usize {
        self.most_men
    }

    /// Number of materials.
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Number of materials with distances. Without them a search knows who wins but is not led to it at the root.
    pub fn distances(&self) -> usize {
        self.tables
            .iter()
            .filter(|tables| tables.distance.is_some())
            .count()
    }

    /// Whether there is no table; never true of an opened one.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// What tells these tables from others, as lower-case hexadecimal: the same wherever the same files are found.
    pub fn digest(&self) -> String {
        self.digest.to_string()
    }

    pub(crate) fn table(&self, board: &Board, kind: Kind) -> Result<&Table, ProbeError> {
        let material = Material::of(board);
        let tables = self.entries.get(&material).map(|place| &self.tables[*place]);
        let missing = || ProbeError::Missing(format!("{material}.{}", kind.extension()));
        let tables = tables.ok_or_else(missing)?;
        match kind {
            Kind::Outcome => Ok(&tables.outcome),
            Kind::Distance => tables.distance.as_ref().ok_or_else(missing),
        }
    }
}

/// The files of one kind, in the order of their names.
fn find(folders: &[&Path], kind: Kind) -> Result<Vec<(Material, PathBuf)>, OpenError> {
    let mut found = HashMap::new();
    for folder in folders {
        let list = || {
            let mut paths = fs::read_dir(folder)?
                .map(|entry| Ok(entry?.path()))
                .collect::<std::io::Result<Vec<_>>>()?;
            paths.sort();
            Ok(paths)
        };
        let paths = list().map_err(|source| OpenError::Folder {
            path: folder.to_path_buf(),
            source,
        })?;
        for path in paths {
            if path
                .extension()
                .is_none_or(|extension| extension != kind.extension())
            {
                continue;
            }
            let name = path.file_stem().and_then(|stem| stem.to_str());
            let Some(material) = name.and_then(Material::from_name) else {
                continue;
            };
            // `KQvKR` and `KRvKQ` are one table.
            if let Entry::Vacant(entry) = found.entry(material.either()) {
                entry.insert((material, path));
            }
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_cached_key(|(material, _)| material.to_string());
    Ok(found)
}
