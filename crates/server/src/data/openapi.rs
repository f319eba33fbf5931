//! The requests for data, described for programs: OpenAPI 3.1.

use serde_json::{Value, json};

/// The document. It leaves out what the server does not take.
pub(super) fn document(takes_changes: bool) -> Value {
    let mut paths = json!({
        "/api/databases": { "get": names() },
        "/api/databases/{name}": { "get": by_name("The definition and state of a database", &[]) },
        "/api/databases/{name}/rows": { "get": by_name("The rows of a database", &[
            query("cf", "A consolidation function; that of the first archive if it is left out",
                json!({ "type": "string" })),
            query("start", "A time as rrdtool reads it: end-1d, 1700000000", text()),
            query("end", "A time as rrdtool reads it", text()),
            query("step", "The seconds of a row; the nearest archive answers",
                json!({ "type": "integer", "minimum": 0, "maximum": 1_000_000_000 })),
        ]) },
        "/api/databases/{name}/last": { "get": by_name("The newest values of a database", &[]) },
        "/api/top": { "get": top() },
        "/api/events": { "get": events() },
        "/api/openapi.json": { "get": operation("This document", &[]) },
    });
    if takes_changes {
        paths["/api/databases/{name}"]["put"] = creation();
        paths["/api/databases/{name}"]["delete"] = deletion();
        paths["/api/samples"] = json!({ "post": samples() });
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "gyre",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Round robin databases: names, definitions, rows, updates.",
        },
        "paths": paths,
        "components": { "schemas": { "Error": {
            "type": "object",
            "required": ["error"],
            "properties": { "error": { "type": "string" } },
        } } },
    })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn query(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

fn name() -> Value {
    json!({
        "name": "name",
        "in": "path",
        "required": true,
        "description": "A database's name; its slashes are written %2F",
        "schema": { "type": "string", "minLength": 1 },
    })
}

fn error(description: &str) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn answer(description: &str) -> Value {
    let schema = json!({ "type": "object" });
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn operation(summary: &str, parameters: &[Value]) -> Value {
    json!({
        "summary": summary,
        "parameters": parameters,
        "responses": { "200": answer(summary), "400": error("A part of the request is wrong") },
    })
}

fn by_name(summary: &str, parameters: &[Value]) -> Value {
    let parameters = [&[name()], parameters].concat();
    let mut operation = operation(summary, &parameters);
    operation["responses"]["404"] = error("There is no such database");
    operation
}

fn names() -> Value {
    operation(
        "The names of databases",
        &[
            query("q", "A pattern, or the beginning of names", text()),
            query("from", "Where to go on: `next` of the answer before", text()),
            query(
                "limit",
                "How many at most",
                json!({ "type": "integer", "minimum": 1, "maximum": 100_000 }),
            ),
        ],
    )
}

fn top() -> Value {
    let series = json!({
        "name": "series", "in": "query", "required": true,
        "description": "The name of the series: that of the data source if no rule says otherwise",
        "schema": text(),
    });
    let ways = json!({ "type": "string", "enum": ["average", "max", "min", "last"] });
    let mut operation = operation(
        "The series with the largest values",
        &[
            series,
            query("database", "A regular expression for the databases' names", text()),
            query("by", "By which number", ways),
            query("least", "The smallest ones", json!({ "type": "boolean" })),
            query("start", "A time as rrdtool reads it", text()),
            query("end", "A time as rrdtool reads it", text()),
            query(
                "n",
                "How many at most",
                json!({ "type": "integer", "minimum": 1, "maximum": 100_000 }),
            ),
        ],
    );
    operation["responses"]["422"] = error("The answer would be too large");
    operation
}

fn events() -> Value {
    json!({
        "summary": "Final rows as they come",
        "parameters": [query("q", "A pattern, or the beginning of names", text())],
        "responses": {
            "200": {
                "description": "Events `row` and `lost`",
                "content": { "text/event-stream": { "schema": text() } },
            },
            "400": error("A part of the request is wrong"),
            "503": error("Too many clients listen"),
        },
    })
}

fn body(schema: &Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn creation() -> Value {
    let list = json!({ "type": "array", "minItems": 1, "items": text() });
    let step = json!({ "type": ["string", "integer"], "description": "Of a primary data point" });
    let schema = json!({
        "type": "object",
        "required": ["sources", "archives"],
        "additionalProperties": false,
        "properties": {
            "step": step,
            "tick": text(),
            "start_seconds": { "type": "integer" },
            "sources": list,
            "archives": list,
        },
    });
    json!({
        "summary": "Makes a database",
        "parameters": [name()],
        "requestBody": body(&schema),
        "responses": {
            "201": answer("It is made"),
            "400": error("A part of the request is wrong"),
            "403": error("The client may not"),
            "409": error("There is one already"),
            "413": { "description": "The body is too large" },
            "422": error("The store cannot have it"),
        },
    })
}

fn deletion() -> Value {
    json!({
        "summary": "Deletes a database",
        "parameters": [name()],
        "responses": {
            "204": { "description": "It is gone" },
            "400": error("A part of the request is wrong"),
            "403": error("The client may not"),
            "404": error("There is no such database"),
        },
    })
}

fn samples() -> Value {
    let sample = json!({
        "type": "array",
        "minItems": 2,
        "description": "The time in seconds since 1970, then a reading for each data source",
        "items": { "type": ["number", "null"] },
    });
    let update = json!({
        "type": "object",
        "required": ["database", "samples"],
        "additionalProperties": false,
        "properties": {
            "database": text(),
            "samples": { "type": "array", "items": sample },
        },
    });
    let schema = json!({
        "type": "object",
        "required": ["updates"],
        "additionalProperties": false,
        "properties": { "updates": { "type": "array", "items": update } },
    });
    json!({
        "summary": "Updates databases; what is answered is acknowledged",
        "requestBody": body(&schema),
        "responses": {
            "200": answer("All samples were taken"),
            "400": error("A part of the request is wrong"),
            "403": error("The client may not"),
            "404": error("There is no such database"),
            "413": { "description": "The body is too large" },
            "422": answer("Some samples were refused"),
        },
    })
}
