//! Users and groups: by name or number, and becoming one.

use nix::unistd::{Gid, Uid, User, setgid, setgroups, setuid};

use super::group::group;
use crate::options::Refused;

/// Whom to become.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Identity {
    user: Option<Uid>,
    group: Option<Gid>,
}

impl Identity {
    /// Looks up what `-U` and `-G` name. A user's group is his own where no other is named.
    ///
    /// # Errors
    /// There is no such user or group.
    pub(crate) fn find(user: Option<&str>, group_text: Option<&str>) -> Result<Self, Refused> {
        let known = user.map(user_of).transpose()?;
        let group = group_text.map(group).transpose()?.map(Gid::from_raw);
        let own_group = known.as_ref().and_then(|(_, group)| *group);
        Ok(Self { user: known.map(|(user, _)| user), group: group.or(own_group) })
    }

    /// Becomes it. All threads do, but there should be one only.
    ///
    /// # Errors
    /// We may not.
    pub(crate) fn assume(self) -> Result<(), Refused> {
        let failed = |what: &str| {
            let words = format!("cannot become the {what} of the options");
            move |error: nix::Error| Refused::new(5, format!("{words}: {}", error.desc()))
        };
        if let Some(group) = self.group.filter(|group| *group != Gid::effective()) {
            // The new user has none of the groups of the user who started the daemon.
            setgroups(&[group]).map_err(failed("group"))?;
            setgid(group).map_err(failed("group"))?;
        }
        if let Some(user) = self.user.filter(|user| *user != Uid::effective()) {
            setuid(user).map_err(failed("user"))?;
        }
        Ok(())
    }
}

fn user_of(text: &str) -> Result<(Uid, Option<Gid>), Refused> {
    let found = match text.parse() {
        Ok(number) => {
            let uid = Uid::from_raw(number);
            let group = User::from_uid(uid).ok().flatten().map(|user| user.gid);
            return Ok((uid, group));
        }
        Err(_) => User::from_name(text).ok().flatten(),
    };
    let unknown = || Refused::new(5, format!("couldn't map \"{text}\" to a user, Sorry"));
    found.map(|user| (user.uid, Some(user.gid))).ok_or_else(unknown)
}
