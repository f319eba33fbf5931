//! rrdgraph arguments to plan, series, scene, SVG and PNG, pure.
