"""python3 listing.py MODEL...: puts models on libccid's list, as a newer libccid has them. pcscd reads it when it starts."""

import plistlib
import sys

from models import Model

_LIST = "/etc/libccid_Info.plist"

with open(_LIST, "rb") as file:
    listed = plistlib.load(file)
for model in map(Model.named, sys.argv[1:]):
    listed["ifdVendorID"].append(f"0x{model.vendor:04X}")
    listed["ifdProductID"].append(f"0x{model.product:04X}")
    listed["ifdFriendlyName"].append(f"{model.manufacturer} {model.name}")
with open(_LIST, "wb") as file:
    plistlib.dump(listed, file)
