//! Consistent, incremental copies of live stores and file trees that leave the page cache alone.
