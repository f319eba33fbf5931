//! What a machine could do better for round robin databases, and what that would gain.
