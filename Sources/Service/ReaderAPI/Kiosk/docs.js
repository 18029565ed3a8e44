// The API reference: a page that is made from the OpenAPI document of this daemon.

const source = await (await fetch("/v1/openapi.json", { credentials: "omit", cache: "no-store" })).json();

/// Creates an element with attributes and content, which are elements and texts.
function element(name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }
    made.append(...content.filter((part) => part !== undefined));
    return made;
}

/// Returns the value that a `$ref` refers to, or the value itself.
function resolved(value) {
    // A reference begins with `#/`, which is no part of the path.
    return value?.$ref === undefined ? value
        : value.$ref.slice(2).split("/").reduce((place, name) => place[name], source);
}

/// Creates a paragraph in which text between backquotes is code.
function prose(text) {
    const parts = text.split("`").map((part, index) => index % 2 === 1 ? element("code", {}, part) : part);
    return element("p", {}, ...parts);
}

function anchor(operation) {
    return `operation-${operation.operationId}`;
}

function schemaName(schema) {
    return schema?.$ref?.split("/").at(-1);
}

/// Describes the type of a value in a few words, such as "text", "list of Answer" or "display · data".
function kind(schema) {
    const name = schemaName(schema);
    if (name !== undefined) {
        return [element("a", { href: `#schema-${name}` }, name)];
    }
    if (schema.oneOf !== undefined) {
        return schema.oneOf.flatMap((choice, index) => index === 0 ? kind(choice) : [" or ", ...kind(choice)]);
    }
    if (schema.enum !== undefined) {
        return [schema.enum.map((word) => String(word)).join(" · ")];
    }
    if (schema.items !== undefined) {
        return ["list of ", ...kind(schema.items)];
    }
    const words = { string: "text", integer: "whole number", number: "number", boolean: "true or false", object: "object", array: "list" };
    const types = [schema.type ?? "object"].flat().map((type) => words[type] ?? type);
    return [types.join(" or "), bounds(schema)];
}

function bounds({ minLength, maxLength, minimum, maximum, format }) {
    const parts = [];
    if (maxLength !== undefined) {
        parts.push(`${minLength ?? 0} to ${maxLength} characters`);
    }
    if (minimum !== undefined || maximum !== undefined) {
        parts.push(maximum === undefined ? `from ${minimum}` : `${minimum ?? ""} to ${maximum}`);
    }
    if (format !== undefined) {
        parts.push(format);
    }
    return parts.length === 0 ? undefined : `, ${parts.join(", ")}`;
}

/// Creates a table of members or parameters, one in each row.
function table(rows, caption) {
    const lines = rows.map(({ name, schema, required, description }) => element("tr", {},
        element("th", { scope: "row" }, element("code", {}, name), required ? element("span", { class: "needed" }, "required") : undefined),
        element("td", {}, element("span", { class: "kind" }, ...kind(schema).filter((part) => part !== undefined)),
            description === undefined ? undefined : prose(description))));
    return element("table", {}, element("caption", {}, caption), element("tbody", {}, ...lines));
}

function members(schema, caption) {
    const { properties, required = [] } = schema;
    if (properties === undefined) {
        return element("p", { class: "kind" }, ...kind(schema).filter((part) => part !== undefined));
    }
    const rows = Object.entries(properties).map(([name, inner]) => ({
        name, schema: inner, required: required.includes(name), description: inner.description,
    }));
    return table(rows, caption);
}

function example(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return element("pre", { tabindex: "0", "aria-label": "Example" }, element("code", {}, text));
}

/// Describes a request or response body, for each of its media types.
function content(media) {
    return Object.entries(media).map(([type, { schema, example: shown }]) => {
        const name = schemaName(schema);
        return element("div", { class: "content" },
            element("p", { class: "media" }, type, name === undefined ? undefined : ": ",
                name === undefined ? undefined : element("a", { href: `#schema-${name}` }, name)),
            name === undefined && schema?.properties !== undefined ? members(schema, "Members") : undefined,
            shown === undefined ? undefined : example(shown));
    });
}

function operationSection(method, path, operation) {
    const parameters = (operation.parameters ?? []).map(resolved);
    const answers = Object.entries(operation.responses).map(([status, response]) => {
        const { description, content: media = {} } = resolved(response);
        const words = status === "default" ? "refused" : status;
        // The answers of a success are open at first.
        return element("details", status.startsWith("2") ? { open: "" } : {},
            element("summary", {}, element("span", { class: "status" }, words), " ", description), ...content(media));
    });
    return element("section", { id: anchor(operation), class: "operation" },
        element("h3", {}, element("span", { class: `method ${method}` }, method.toUpperCase()), " ", element("code", {}, path)),
        element("p", { class: "summary" }, operation.summary),
        operation.description === undefined ? undefined : prose(operation.description),
        parameters.length === 0 ? undefined : table(parameters, "Parameters"),
        operation.requestBody === undefined ? undefined : element("h4", {}, "Request"),
        ...(operation.requestBody === undefined ? [] : content(operation.requestBody.content)),
        element("h4", {}, "Answers"), ...answers);
}

function operationsOf(tag) {
    return Object.entries(source.paths).flatMap(([path, methods]) => Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(tag))
        .map(([method, operation]) => ({ path, method, operation })));
}

const page = document.querySelector("[data-page]");
const index = document.querySelector("[data-index]");

page.append(element("header", {}, element("h1", {}, `${source.info.title} ${source.info.version}`),
    element("p", { class: "summary" }, source.info.summary), prose(source.info.description),
    element("p", {}, element("a", { href: "/v1/openapi.json" }, "openapi.json"))));

for (const { name, description } of source.tags) {
    const operations = operationsOf(name);
    page.append(element("section", { id: `tag-${name}` }, element("h2", {}, name), prose(description),
        ...operations.map(({ method, path, operation }) => operationSection(method, path, operation))));
    index.append(element("h2", {}, element("a", { href: `#tag-${name}` }, name)), element("ul", {},
        ...operations.map(({ method, operation }) => element("li", {}, element("a", { href: `#${anchor(operation)}` },
            element("span", { class: `method ${method}` }, method.toUpperCase()), " ", operation.summary)))));
}

const schemas = Object.entries(source.components.schemas);
page.append(element("section", { id: "schemas" }, element("h2", {}, "Schemas"), ...schemas.map(([name, schema]) =>
    element("section", { id: `schema-${name}`, class: "schema" }, element("h3", {}, name),
        schema.description === undefined ? undefined : prose(schema.description), members(schema, `Members of ${name}`)))));
index.append(element("h2", {}, element("a", { href: "#schemas" }, "Schemas")), element("ul", {},
    ...schemas.map(([name]) => element("li", {}, element("a", { href: `#schema-${name}` }, name)))));

document.body.dataset.ready = "yes";
