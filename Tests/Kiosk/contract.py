"""Holds what a stand-in says to the daemon's OpenAPI document, as the daemon's own answers are."""

import json
import pathlib
import re

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "Sources/Service/ReaderAPI/OpenAPI/openapi.json"


class Contract:
    def __init__(self):
        self.document = json.loads(DOCUMENT.read_text())
        self.paths = {re.compile(re.sub(r"\{\w+\}", "[^/]+", path)): operations
                      for path, operations in self.document["paths"].items()}

    def faults_of_answer(self, method, path, status, kind, body):
        """What is wrong with an answer; empty where nothing is. A path that the document has not may only be refused."""
        responses = next((operations[method.lower()]["responses"] for pattern, operations in self.paths.items()
                          if pattern.fullmatch(path) and method.lower() in operations), None)
        if responses is None:
            return self.faults(json.loads(body), "Problem") if status >= 400 else [f"{method} {path}: not in the document"]
        response = responses.get(str(status), responses["default"])
        if "$ref" in response:
            response = self.document["components"]["responses"][response["$ref"].split("/")[-1]]
        contents = response.get("content")
        if contents is None:
            return [f"{method} {path}: {status} has content"] if body else []
        kind = kind.split(";")[0]
        if kind not in contents and "*/*" not in contents:
            return [f"{method} {path}: {status} with {kind} is not in the document"]
        schema = contents.get(kind, {}).get("schema")
        if "json" not in kind or schema is None:
            return []
        return self._faults(json.loads(body), schema)

    def faults_of_event(self, kind, data):
        # The stream of accessories has events of its own.
        of_accessories = {"accessories": "AccessoryList", "lane": "AccessoryLane", "output": "DueOutput",
                          "try": "AccessoryTry"}
        if kind in of_accessories:
            return self.faults(data, of_accessories[kind])
        names = self.document["components"]["schemas"]["EventName"]["enum"]
        if kind not in names:
            return [f"no event {kind}"]
        return self.faults(data, {"ended": "EndedEvent", "laneChanged": "LaneEvent", "orderRefused": "LaneEvent"}.get(
            kind, "PresentationEvent"))

    def faults(self, value, name):
        """What of a value is not as the schema of this name has it."""
        if name not in self.document["components"]["schemas"]:
            return [f"no schema {name}"]
        return self._faults(value, {"$ref": f"#/components/schemas/{name}"})

    def _faults(self, value, schema):
        validator = Draft202012Validator({**schema, "components": self.document["components"]})
        return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(value)]
