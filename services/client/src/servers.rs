//! Calls spread over several servers, and away from those that fail.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;

use crate::{
    Access, ClientError,
    place::{Place, with_causes},
    retry::jittered,
    server::Server,
};

/// How often names are looked up again: a pod that comes shall get calls soon, and one that is gone none.
const REFRESH: Duration = Duration::from_secs(5);

/// The servers of a client. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Servers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    places: Vec<Place>,
    members: Mutex<Vec<Arc<Server>>>,
    next: AtomicUsize,
}

impl Servers {
    /// Connects to every address of every place of a list separated by commas. One that answers is enough; the others
    /// join once they do.
    ///
    /// # Errors
    /// [`ClientError::Endpoint`] if one is no place, [`ClientError::Connect`] if nothing answers anywhere.
    pub(crate) async fn connect(endpoints: &str, access: &Access) -> Result<Self, ClientError> {
        let excerpt = || tabiya_api::error::excerpt(endpoints);
        let read = |text: &str| {
            Place::new(text.trim(), access).map_err(|reason| ClientError::Endpoint {
                endpoint: tabiya_api::error::excerpt(text),
                reason,
            })
        };
        let places = endpoints.split(',').map(read).collect::<Result<Vec<_>, _>>()?;
        let unreachable = |reason| ClientError::Connect {
            endpoint: excerpt(),
            reason,
        };
        let found = lookup(&places)
            .await
            .map_err(|error| unreachable(error.to_string()))?;
        let attempts = found.into_iter().map(|(place, address)| async move {
            match place.connect(address).await {
                Ok(channel) => (Server::new(place, address, channel), None),
                Err(error) => (Server::expected(place, address), Some(with_causes(&error))),
            }
        });
        let (members, failures): (Vec<_>, Vec<_>) = join_all(attempts).await.into_iter().unzip();
        if failures.iter().all(Option::is_some) {
            let reason = failures.into_iter().flatten().next();
            return Err(unreachable(
                reason.unwrap_or_else(|| "the name has no address".to_owned()),
            ));
        }
        let shared = Arc::new(Shared {
            places,
            members: Mutex::new(members),
            next: AtomicUsize::new(0),
        });
        if shared.places.iter().any(Place::is_name) {
            tokio::spawn(refresh(Arc::downgrade(&shared)));
        }
        Ok(Self(shared))
    }

    /// The server for the next call: each in turn, those that failed left out while there are others.
    pub(crate) fn pick(&self) -> Arc<Server> {
        let members = self.0.members();
        let turn = self.0.next.fetch_add(1, Ordering::Relaxed);
        let in_turn = || (0..members.len()).map(|step| &members[turn.wrapping_add(step) % members.len()]);
        let picked = in_turn()
            .find(|server| !server.is_out())
            .or_else(|| in_turn().next());
        Arc::clone(picked.expect("a list of servers is never empty"))
    }
}

impl Shared {
    fn members(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Server>>> {
        // Nothing can be half done in it.
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the places' addresses of now for those of before.
    fn replace(&self, found: Vec<(Place, SocketAddr)>) {
        let mut members = self.members();
        let kept = |address| {
            members
                .iter()
                .find(|server| server.address == address)
                .map(Arc::clone)
        };
        let new = found
            .into_iter()
            .map(|(place, address)| kept(address).unwrap_or_else(|| Server::expected(place, address)));
        *members = new.collect();
    }
}

/// Every address of every place, once.
async fn lookup(places: &[Place]) -> std::io::Result<Vec<(Place, SocketAddr)>> {
    let mut found: Vec<(Place, SocketAddr)> = Vec::new();
    for place in places {
        for address in place.addresses().await? {
            if !found.iter().any(|(_, known)| *known == address) {
                found.push((place.clone(), address));
            }
        }
    }
    Ok(found)
}

/// Looks names up again and again, until nobody uses the servers any more.
async fn refresh(shared: Weak<Shared>) {
    loop {
        tokio::time::sleep(jittered(REFRESH)).await;
        let Some(places) = shared.upgrade().map(|shared| shared.places.clone()) else {
            return;
        };
        // A look-up that fails says nothing about the servers.
        let Ok(found) = lookup(&places).await else {
            continue;
        };
        match shared.upgrade() {
            Some(shared) if !found.is_empty() => shared.replace(found),
            Some(_) => {}
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    async fn connect(endpoints: &str) -> Result<Servers, ClientError> {
        Servers::connect(endpoints, &Access::default()).await
    }

    fn listener() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        (listener, address)
    }

    #[tokio::test]
    async fn each_in_turn_and_those_that_failed_left_out() {
        let (_one, first) = listener();
        let (_two, second) = listener();
        let (_three, third) = listener();
        let servers = connect(&format!("{first}, http://{second},{third}"))
            .await
            .unwrap();
        let picked = |count| -> Vec<_> { (0..count).map(|_| servers.pick().address.to_string()).collect() };
        assert_eq!(picked(4), [&first, &second, &third, &first].map(Clone::clone));

        servers.pick().failed();
        let others = picked(6);
        assert!(!others.contains(&second) && others.contains(&first) && others.contains(&third));
        // Nobody is left: then somebody has to be asked.
        for _ in 0..3 {
            servers.pick().failed();
        }
        assert_eq!(picked(3).len(), 3);
    }

    #[tokio::test]
    async fn one_that_answers_is_enough() {
        let (_one, there) = listener();
        let (gone, absent) = listener();
        drop(gone);
        let servers = connect(&format!("{absent},{there}")).await.unwrap();
        for _ in 0..4 {
            assert_eq!(servers.pick().address.to_string(), there);
        }
        let error = connect(&absent).await.unwrap_err();
        assert!(matches!(error, ClientError::Connect { .. }), "{error:?}");
    }

    #[tokio::test]
    async fn a_name_s_addresses_come_and_go() {
        let (_one, first) = listener();
        let (_two, second) = listener();
        let servers = connect(&first).await.unwrap();
        let kept = servers.pick();
        let place = |text: &str| {
            (
                Place::new(text, &Access::default()).unwrap(),
                text.parse().unwrap(),
            )
        };
        servers.0.replace(vec![place(&second), place(&first)]);
        // What is new has to answer before it gets calls.
        assert!((0..4).all(|_| Arc::ptr_eq(&servers.pick(), &kept)));
        servers.0.replace(vec![place(&second)]);
        assert_eq!(servers.pick().address.to_string(), second);
    }
}
