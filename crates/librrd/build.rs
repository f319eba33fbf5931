//! Compiles the variadic functions and gives the library the name that programs ask for.

fn main() {
    println!("cargo:rerun-if-changed=src/variadic.c");
    cc::Build::new().file("src/variadic.c").warnings(true).compile("variadic");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,librrd.so.8");
}
