// Creates elements without parsing markup, so that a text from outside can never become an element.

const vectorSpace = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value !== undefined && value !== null && value !== false) {
            node.setAttribute(name, value === true ? "" : value);
        }
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

export function element(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
}

export function vector(name, attributes = {}, ...children) {
    return fill(document.createElementNS(vectorSpace, name), attributes, children);
}
