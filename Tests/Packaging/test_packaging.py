"""The parts of the package that need no release build: repository, bill of materials, changelog."""

import contextlib
import functools
import http.server
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "Hardware/Packaging"
PROGRAMS = [ROOT / ".build/debug" / name for name in ("countersign", "countersignd", "countersign-portrait")]
ACCESSORIES = ROOT / ".build/debug/countersign-accessories"
LAB = ROOT / ".build/debug/countersign-lab"


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(PACKAGING / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)


def control_fields(file):
    return dict(line.split(": ", 1) for line in (PACKAGING / file).read_text().splitlines() if re.match(r"\w[\w-]*: ", line))


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class RepositoryTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-repository."))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # apt reads the lists as another user.
        cls.folder.chmod(0o755)
        cls.keys = cls.folder / "keys"
        cls.keys.mkdir(mode=0o700)
        cls.environment = {**os.environ, "GNUPGHOME": str(cls.keys), "LC_ALL": "C.UTF-8"}
        cls.addClassCleanup(run, "gpgconf", "--kill", "all", env=cls.environment)
        cls.key, cls.other_key = cls.make_key("Countersign tests"), cls.make_key("Somebody else")
        cls.older, cls.package = cls.make_package("1.0"), cls.make_package("1.1")

    @classmethod
    def make_key(cls, name):
        made = run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "0",
                   env=cls.environment)
        assert made.returncode == 0, made.stderr
        listed = run("gpg", "--with-colons", "--list-keys", name, env=cls.environment).stdout
        return re.search(r"^fpr:+([0-9A-F]+):", listed, re.MULTILINE).group(1)

    @classmethod
    def make_package(cls, version, contents="a reader\n"):
        tree = pathlib.Path(tempfile.mkdtemp(dir=cls.folder))
        tree.chmod(0o755)
        (tree / "DEBIAN").mkdir()
        (tree / "usr").mkdir()
        (tree / "usr/contents").write_text(contents)
        architecture = run("dpkg", "--print-architecture").stdout.strip()
        (tree / "DEBIAN/control").write_text(
            f"Package: countersign\nVersion: {version}\nArchitecture: {architecture}\n"
            "Maintainer: Tests <tests@example.org>\nDescription: a package of tests\n")
        built = run("dpkg-deb", "--root-owner-group", "--build", tree, cls.folder / f"{tree.name}.deb")
        assert built.returncode == 0, built.stderr
        return cls.folder / f"{tree.name}.deb"

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.work.chmod(0o755)
        self.repository = self.work / "repository"

    def make(self, *packages, key=None):
        return run(PACKAGING / "repository", self.repository, key or self.key, *packages, env=self.environment)

    def made(self, *packages):
        made = self.make(*packages)
        self.assertEqual(made.returncode, 0, made.stderr)

    @contextlib.contextmanager
    def served(self):
        handler = functools.partial(QuietHandler, directory=str(self.repository))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()

    def apt(self, *arguments, address=None, key_file=None):
        """apt with folders of its own, as a new user's: nothing of this machine is read or changed."""
        state = self.work / "apt"
        for name in ("lists/partial", "archives/partial", "etc"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        key_file = key_file or self.repository / "countersign.asc"
        (state / "etc/sources.list").write_text(
            f"deb [signed-by={key_file}] {address or f'file:{self.repository}'} stable main\n")
        settings = {
            "Dir::State": state, "Dir::State::lists": state / "lists", "Dir::State::status": state / "status",
            "Dir::Cache": state, "Dir::Cache::archives": state / "archives", "Dir::Etc": state / "etc",
            "Dir::Etc::SourceList": state / "etc/sources.list", "Dir::Etc::SourceParts": "-", "Dir::Etc::Parts": "-",
            "APT::Sandbox::User": "root", "Acquire::http::Proxy": "DIRECT", "APT::Update::Error-Mode": "any"}
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        return run("apt-get", *options, *arguments, env={**self.environment, "APT_CONFIG": "/dev/null"},
                   cwd=self.work)

    def downloads(self, **where):
        updated = self.apt("update", **where)
        self.assertEqual(updated.returncode, 0, updated.stderr + updated.stdout)
        return self.apt("download", "countersign", **where)

    def test_apt_takes_the_newest_package_from_a_folder(self):
        self.made(self.older, self.package)
        self.assertEqual(self.downloads().returncode, 0)
        (taken,) = self.work.glob("countersign_*.deb")
        self.assertEqual(taken.read_bytes(), self.package.read_bytes())

    def test_apt_takes_it_from_a_web_server(self):
        self.made(self.package)
        with self.served() as address:
            taken = self.downloads(address=address)
        self.assertEqual(taken.returncode, 0, taken.stderr)

    def test_a_later_run_adds_a_package_and_keeps_the_others(self):
        self.made(self.older)
        self.made(self.package)
        self.made(self.package)
        lists = next(self.repository.glob("dists/stable/main/*/Packages")).read_text()
        self.assertEqual(sorted(re.findall(r"^Version: (.+)$", lists, re.MULTILINE)), ["1.0", "1.1"])
        self.assertFalse(list(self.repository.glob("dists/*.new")) + list(self.repository.glob("dists/*.old")))

    def test_another_package_of_the_same_version_is_refused(self):
        self.made(self.package)
        before = (self.repository / "dists/stable/InRelease").read_bytes()
        refused = self.make(self.make_package("1.1", "another reader\n"))
        self.assertEqual(refused.returncode, 65)
        self.assertIn("build under a new version", refused.stderr)
        self.assertEqual((self.repository / "dists/stable/InRelease").read_bytes(), before)

    def test_a_key_that_is_not_there_and_a_file_that_is_no_package_are_refused(self):
        self.assertEqual(self.make(self.package, key="0" * 40).returncode, 69)
        self.assertEqual(self.make(PACKAGING / "README.md").returncode, 65)
        self.assertEqual(self.make().returncode, 64)

    def refused(self, words, **where):
        updated = self.apt("update", **where)
        self.assertNotEqual(updated.returncode, 0, updated.stdout)
        self.assertIn(words, updated.stderr)
        self.assertNotEqual(self.apt("download", "countersign", **where).returncode, 0)

    def test_apt_refuses_a_repository_without_signature(self):
        self.made(self.package)
        for name in ("InRelease", "Release.gpg"):
            (self.repository / "dists/stable" / name).unlink()
        self.refused("is not signed")

    def test_apt_refuses_a_repository_that_another_key_signed(self):
        self.made(self.package)
        ours = self.work / "ours.asc"
        shutil.copy(self.repository / "countersign.asc", ours)
        shutil.rmtree(self.repository)
        self.assertEqual(self.make(self.package, key=self.other_key).returncode, 0)
        self.refused("NO_PUBKEY", key_file=ours)

    def test_apt_refuses_lists_that_were_changed(self):
        self.made(self.package)
        for file in (self.repository / "dists/stable").rglob("Packages*"):
            file.write_bytes(file.read_bytes().replace(b"tests", b"tasts") if file.suffix == "" else b"")
        self.refused("Failed to fetch")

    def test_apt_refuses_a_release_file_that_was_changed(self):
        self.made(self.package)
        for name in ("InRelease", "Release"):
            file = self.repository / "dists/stable" / name
            file.write_text(file.read_text().replace("Label: Countersign", "Label: Countersing"))
        self.refused("BADSIG")

    def test_apt_refuses_a_package_that_was_changed(self):
        self.made(self.package)
        (file,) = self.repository.glob("pool/*.deb")
        contents = bytearray(file.read_bytes())
        contents[-1] ^= 1
        file.write_bytes(contents)
        taken = self.downloads()
        self.assertNotEqual(taken.returncode, 0)
        self.assertIn("Hash Sum mismatch", taken.stderr)


class BillOfMaterialsTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sbom = script("sbom")
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        cls.document = cls.sbom.document("countersign", "1.0", PROGRAMS)

    def names(self, kind):
        return {part["name"] for part in self.document["packages"] if part["SPDXID"].startswith(f"SPDXRef-{kind}-")}

    def test_it_names_the_debian_packages_that_dpkg_finds_in_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "debian").mkdir()
            (pathlib.Path(folder) / "debian/control").write_text(
                "Source: countersign\n\nPackage: countersign\nArchitecture: any\n")
            swift = f"-l{pathlib.Path(shutil.which('swift')).resolve().parents[1]}/lib/swift/linux"
            found = run("dpkg-shlibdeps", swift, "-O", "--ignore-missing-info", *PROGRAMS, cwd=folder)
        depends = re.sub(r"^shlibs:Depends=", "", found.stdout.strip())
        self.assertEqual(self.names("debian"), set(re.findall(r"(?:^|, )([a-z0-9+.-]+)", depends)), found.stderr)

    def test_every_linked_module_that_is_not_ours_is_of_a_package_in_it_and_no_other_package_is(self):
        ours = {folder.name.replace("-", "_") for folder in ROOT.glob("Sources/*/*/")}
        linked = set().union(*map(self.sbom.linked_modules, PROGRAMS)) - ours
        homes = {name: self.sbom.modules_of(ROOT / ".build/checkouts" / name)
                 for name in self.names("swift") - {"swift-runtime"}}
        self.assertEqual({module for module in linked if not any(module in home for home in homes.values())}, set())
        self.assertEqual([name for name, home in homes.items() if not linked & home], [])

    def test_versions_are_those_of_the_resolved_packages(self):
        pins = {pin["identity"]: pin["state"]["version"]
                for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]}
        for part in self.document["packages"]:
            if part["name"].lower() in pins:
                self.assertEqual(part["versionInfo"], pins[part["name"].lower()])

    def test_a_library_that_a_program_loads_besides_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            built = run("gcc", "-x", "c", "-", "-o", program, "-Wl,--no-as-needed", "-lpq", input="int main(){}")
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assertIn("libpq5", dict(self.sbom.debian_packages([program])))
        self.assertNotIn("libpq5", self.names("debian"))

    def test_a_library_that_the_hub_loads_by_itself_is_named(self):
        document = self.sbom.document("countersign-hub", "1.0", PROGRAMS[:1], ["libpq.so.5"])
        self.assertIn("libpq5", {part["name"] for part in document["packages"]})
        self.assertEqual(document["packages"][0]["name"], "countersign-hub")
        self.assertNotEqual(document["documentNamespace"], self.document["documentNamespace"])

    def test_a_library_that_is_loaded_and_not_linked_is_depended_on_and_named_to_the_bill(self):
        for source, library, name, control, build in (
                ("HTTPClient/LibCurl.swift", "libcurl.so.4", "libcurl4", "control", "build-deb"),
                ("ReaderStore/PostgreSQL/LibPQ.swift", "libpq.so.5", "libpq5", "hub/control", "build-hub-deb")):
            self.assertIn(f'("{library}")', (ROOT / "Sources/Service" / source).read_text())
            depends = re.search(r"^Depends: (.*)$", (PACKAGING / "debian" / control).read_text(), re.MULTILINE).group(1)
            self.assertIn(name, depends.split(", "))
            self.assertIn(f"stage_papers {library} ", (PACKAGING / build).read_text())
            self.assertEqual(self.sbom.debian_package(library)[0], name)

    def test_the_bill_of_the_accessories_names_the_client_of_brokers_and_no_server(self):
        document = self.sbom.document("countersign-accessories", "1.0", [ACCESSORIES])
        names = {part["name"] for part in document["packages"]}
        self.assertIn("libmosquitto1", names)
        self.assertEqual({name for name in names if "nio" in name or name == "hummingbird"}, set())
        # The twin: the daemon has a server.
        self.assertIn("hummingbird", self.names("swift"))

    def test_the_same_input_gives_the_same_bytes_with_every_member_that_spdx_demands(self):
        self.assertEqual(json.dumps(self.document), json.dumps(self.sbom.document("countersign", "1.0", PROGRAMS)))
        self.assertEqual(self.document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        for member in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
            self.assertIn(member, self.document)
        identifiers = [part["SPDXID"] for part in self.document["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for relation in self.document["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], identifiers)


class LaboratoryTests(unittest.TestCase):
    """The package of a counter can make no document; that of the laboratory is for the same version."""

    def setUp(self):
        self.modules = {folder.name for folder in ROOT.glob("Sources/Laboratory/*/")}
        self.linked = script("sbom").linked_modules

    def test_no_program_of_a_shop_was_linked_with_a_module_of_the_laboratory(self):
        self.assertIn("MdocWallet", self.modules)
        for program in [*PROGRAMS, ACCESSORIES]:
            self.assertEqual(self.linked(program) & self.modules, set(), program)

    def test_the_laboratory_was_linked_with_all_of_them(self):
        self.assertEqual(self.modules - self.linked(LAB), set())

    def test_its_package_depends_on_the_reader_of_its_version_which_only_suggests_it(self):
        reader, laboratory = control_fields("debian/control"), control_fields("debian/lab/control")
        self.assertIn("countersign (= @VERSION@)", laboratory["Depends"])
        self.assertIn("countersign-lab", reader["Suggests"])
        self.assertNotIn("countersign-lab", reader["Depends"] + reader["Recommends"])


class AccessoriesPackageTests(unittest.TestCase):
    """The program of accessories may open devices, and little else; its package writes nothing into the daemon's file."""

    USER = "countersign-accessories"

    def setUp(self):
        self.unit = self.settings("countersign-accessories.service")

    @staticmethod
    def settings(name):
        found = {}
        for line in (ROOT / "Hardware/systemd" / name).read_text().splitlines():
            if re.match(r"\w+=", line):
                key, value = line.split("=", 1)
                found.setdefault(key, []).append(value)
        return found

    def test_its_package_is_for_the_reader_of_its_version_which_only_suggests_it(self):
        reader, accessories = control_fields("debian/control"), control_fields("debian/accessories/control")
        depends = accessories["Depends"].split(", ")
        self.assertEqual(depends[:2], ["@LIBRARIES@", "countersign (= @VERSION@)"])
        self.assertIn("udev", depends)
        # Whoever has no camera needs no ZXing, and its package has another name in later suites.
        self.assertEqual(accessories["Recommends"], "libzxing2")
        self.assertIn(self.USER, reader["Suggests"].split(", "))
        self.assertNotIn(self.USER, reader["Depends"] + reader["Recommends"])

    def test_every_script_that_builds_a_package_is_run_and_its_package_is_checked(self):
        scripts = {file.name for file in PACKAGING.glob("build*-deb")}
        names = {re.search(r"^readonly package_name=(\S+)", (PACKAGING / name).read_text(), re.MULTILINE).group(1)
                 for name in scripts}
        said = run("bash", "-c", f". {ROOT}/Hardware/steps.sh; echo ${{package_scripts[@]}}; echo ${{built_packages[@]}}").stdout
        built, packages = (set(line.split()) for line in said.splitlines())
        self.assertEqual((built, packages), (scripts, names))
        for name in names:
            self.assertRegex((PACKAGING / "check-deb").read_text(), rf"(?m)^{name}\)$")

    def test_the_unit_opens_the_kinds_of_devices_that_accessories_have(self):
        self.assertEqual(self.unit["DevicePolicy"], ["closed"])
        self.assertEqual(set(self.unit["DeviceAllow"]), {f"{device} rw" for device in [
            "char-ttyACM", "char-ttyUSB", "char-ttyAMA", "/dev/char/4:64", "/dev/char/4:65", "/dev/char/4:66", "/dev/char/4:67",
            "char-hidraw", "char-input", "char-gpiochip", "/dev/uinput", "char-video4linux"]})
        self.assertNotIn("PrivateDevices", self.unit)
        # The daemon's unit stays as it is: it may open none.
        daemon = self.settings("countersignd.service")
        self.assertEqual((daemon["PrivateDevices"], daemon["DevicePolicy"]), (["yes"], ["closed"]))
        self.assertNotIn("DeviceAllow", daemon)

    def test_kinds_of_devices_that_a_module_makes_are_there_when_the_unit_starts(self):
        modules = {f"modprobe@{name}.service" for name in ("cdc_acm", "usbserial", "hid", "uinput", "videodev")}
        for key in ("Wants", "After"):
            self.assertEqual({name for line in self.unit[key] for name in line.split() if name.startswith("modprobe@")}, modules)

    def test_it_goes_on_without_the_daemon_and_starts_again_for_ever(self):
        for key in ("Wants", "After"):
            self.assertIn("countersignd.service", self.unit[key])
        self.assertFalse({"Requires", "BindsTo", "PartOf", "Requisite"} & set(self.unit))
        self.assertEqual((self.unit["Restart"], self.unit["StartLimitIntervalSec"]), (["always"], ["0"]))

    def test_the_watchdog_has_its_time_before_systemd_kills_it(self):
        source = (ROOT / "Sources/Commands/countersign-accessories/Watchdog.swift").read_text()
        (limit,) = re.findall(r"static let limit = Duration\.seconds\((\d+)\)", source)
        self.assertGreater(int(self.unit["TimeoutStopSec"][0]), int(limit))
        self.assertNotIn("SendSIGKILL", self.unit)
        self.assertEqual(self.unit["KillMode"], ["control-group"])

    def test_it_writes_nowhere_and_is_confined_as_the_daemon_is(self):
        self.assertEqual(self.unit["ProtectSystem"], ["strict"])
        writable = {"ReadWritePaths", "StateDirectory", "CacheDirectory", "LogsDirectory", "RuntimeDirectory", "ConfigurationDirectory"}
        self.assertFalse(writable & set(self.unit))
        daemon = self.settings("countersignd.service")
        kept = [key for key in daemon if re.match("Protect|Restrict(?!Address)|NoNew|Lock|Memory(?!Max)|Private(?!Devices)|Capability"
                                                 "|LimitCORE|Keyring|RemoveIPC|SystemCallArch|SystemCallError|ProcSubset|UMask", key)]
        self.assertGreater(len(kept), 20)
        self.assertEqual({key: self.unit.get(key) for key in kept}, {key: daemon[key] for key in kept})
        self.assertEqual(self.unit["RestrictAddressFamilies"], ["AF_UNIX AF_INET AF_INET6"])

    def test_unit_user_rules_and_scripts_name_one_user(self):
        self.assertEqual((self.unit["User"], self.unit["Group"], self.unit["SupplementaryGroups"]),
                         ([self.USER], [self.USER], ["countersign"]))
        users = (ROOT / "Hardware/systemd/countersign-accessories.sysusers.conf").read_text()
        self.assertEqual(re.findall(r"(?m)^[^#\s].*", users), [f'u {self.USER} - "Countersign accessories" /'])
        rules = (ROOT / "Hardware/udev/94-countersign-accessories.rules").read_text()
        self.assertEqual(set(re.findall(r'(?m)^[^#\n]*GROUP="([^"]*)"', rules)), {self.USER})
        self.assertEqual(set(re.findall(r'(?m)^[^#\n]*MODE="([^"]*)"', rules)), {"0660"})

    def said(self, configuration):
        """What postinst says of the daemon's file."""
        script = (PACKAGING / "debian/accessories/postinst").read_text()
        (function,) = re.findall(r"(?ms)^name_missing_user\(\) \{.*?^\}", script)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(configuration)
            file.flush()
            function = function.replace("/etc/countersign/countersignd.json", file.name)
            told = run("sh", "-eu", "-c", f"id() {{ echo 998; }}\n{function}\nname_missing_user")
            self.assertEqual((told.returncode, told.stderr), (0, ""))
            self.assertEqual(pathlib.Path(file.name).read_text(), configuration)
            return told.stdout

    def test_postinst_names_the_line_to_add_until_the_file_has_it(self):
        missing = self.said((PACKAGING / "countersignd.json").read_text())
        (line,) = [line.strip() for line in missing.splitlines() if line.startswith("    ")]
        self.assertEqual(json.loads(line), {"user": self.USER, "scopes": ["accessory"]})
        self.assertIn(line, (PACKAGING / "accessories/README.Debian").read_text())
        users = '{"socket": {"users": [%s]}}'
        for user in (line, '{"uid": 998, "scopes": ["accessory"]}', '{"uid":998}'):
            self.assertEqual(self.said(users % user), "", user)
        for user in ('{"uid": 99, "scopes": ["accessory"]}', '{"uid": 9980}', '{"user": "countersign"}'):
            self.assertIn(line, self.said(users % user), user)

    def test_the_guide_of_the_package_names_its_files(self):
        guide = (PACKAGING / "accessories/README.Debian").read_text()
        for name in ("/usr/lib/udev/rules.d/94-countersign-accessories.rules", "/etc/udev/rules.d/90-countersign-accessories.rules",
                     "runuser -u countersign -- countersignd --check", "systemctl reload countersignd"):
            self.assertIn(name, guide)
        self.assertLessEqual(max(map(len, guide.splitlines())), 135)


@unittest.skipUnless(os.geteuid() == 0, "not root: no device nodes can be made")
class UdevRuleTests(unittest.TestCase):
    """Debian's udev with our rules, at devices that are only files."""

    OURS = ("countersign-accessories", "660")

    @staticmethod
    @functools.cache
    def devices(vendor, product, *rules):
        said = run(pathlib.Path(__file__).parent / "udev-stage", vendor, product, *rules)
        assert (said.returncode, said.stderr) == (0, ""), said.stdout + said.stderr
        found = {}
        for line in said.stdout.splitlines():
            name, group, mode, *properties = line.split()
            found[name] = ((group, mode), dict(word.split("=", 1) for word in properties))
        return found

    def nodes(self, *arguments):
        return {name: node for name, (node, _) in self.devices(*arguments).items()}

    def test_a_scanner_is_ours_and_modem_manager_leaves_it_alone(self):
        for vendor in ("0c2e", "05e0", "05f9", "1eab", "065a"):
            found = self.devices(vendor, "0b61")
            for name in ("ttyACM0", "hidraw0", "input/event5"):
                self.assertEqual(found[name][0], self.OURS, (vendor, name))
            for name in ("bus/usb/001/002", "ttyACM0"):
                self.assertEqual(found[name][1].get("ID_MM_DEVICE_IGNORE"), "1", (vendor, name))

    def test_of_a_scanner_that_types_only_the_node_with_keys_is_ours_and_desktops_hear_it(self):
        found = self.devices("0c2e", "0b61")
        self.assertEqual(found["input/event6"][0], ("input", "660"))
        self.assertNotIn("LIBINPUT_IGNORE_DEVICE", found["input/event5"][1])

    def test_a_camera_is_ours_only_by_a_rule_of_an_administrator(self):
        camera = 'ATTRS{idVendor}=="046d", ATTRS{idProduct}=="0825", ENV{COUNTERSIGN_ACCESSORY}="1"'
        self.assertEqual(self.nodes("046d", "0825", camera)["video0"], self.OURS)
        # The twins: another camera, and whatever a maker of scanners gives a lens.
        for product in (("046d", "0826", camera), ("046d", "0825"), ("0c2e", "0b61"), ("1a86", "7523")):
            self.assertNotEqual(self.nodes(*product)["video0"][0], "countersign-accessories", product)

    def test_another_device_stays_as_it_is(self):
        found = self.devices("046d", "c31c")
        self.assertEqual([found[name][0] for name in ("ttyACM0", "hidraw0", "input/event5", "ttyS0")],
                         [("dialout", "660"), ("root", "600"), ("input", "660"), ("dialout", "660")])
        self.assertEqual({name: properties for name, (_, properties) in found.items() if properties}, {})

    def test_relay_boards_are_ours_and_other_numbers_of_their_vendors_are_not(self):
        self.assertEqual(self.nodes("16c0", "05df")["hidraw0"], self.OURS)
        # Another package's rule may give the node to another group, as that of usbrelay does.
        self.assertNotEqual(self.nodes("16c0", "05df")["input/event5"][0], "countersign-accessories")
        self.assertEqual(self.nodes("16c0", "05de")["hidraw0"], ("root", "600"))
        self.assertEqual(self.nodes("1a86", "7523")["ttyACM0"], self.OURS)
        self.assertEqual(self.nodes("1a86", "55d3")["ttyACM0"], ("dialout", "660"))

    def test_uinput_and_pins_are_ours_and_what_makes_devices_is_not(self):
        nodes = self.nodes("046d", "c31c")
        self.assertEqual((nodes["uinput"], nodes["gpiochip0"], nodes["uhid"]), (self.OURS, self.OURS, ("root", "600")))

    def test_an_administrator_names_further_devices_and_exceptions(self):
        adapter = 'ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001", ENV{COUNTERSIGN_ACCESSORY}="1"'
        self.assertEqual(self.nodes("0403", "6001", adapter)["ttyACM0"], self.OURS)
        self.assertEqual(self.nodes("0403", "6002", adapter)["ttyACM0"], ("dialout", "660"))
        self.assertEqual(self.nodes("0403", "6001", 'KERNEL=="ttyS0", ENV{COUNTERSIGN_ACCESSORY}="1"')["ttyS0"], self.OURS)
        mine = self.devices("0c2e", "0b61", 'ATTRS{idVendor}=="0c2e", ENV{COUNTERSIGN_ACCESSORY}="0"')
        self.assertEqual([mine[name][0] for name in ("ttyACM0", "hidraw0", "input/event5")],
                         [("dialout", "660"), ("root", "600"), ("input", "660")])
        self.assertNotIn("ID_MM_DEVICE_IGNORE", mine["ttyACM0"][1])
        hidden = self.devices("0c2e", "0b61", 'ATTRS{idVendor}=="0c2e", ENV{COUNTERSIGN_ACCESSORY}="hidden"')["input/event5"]
        self.assertEqual((hidden[0], hidden[1].get("LIBINPUT_IGNORE_DEVICE")), (self.OURS, "1"))

    def test_a_rule_that_udev_does_not_know_is_found(self):
        said = run(pathlib.Path(__file__).parent / "udev-stage", "0c2e", "0b61", 'GROPU="x"')
        self.assertEqual(said.returncode, 1)
        self.assertIn("Invalid key 'GROPU'", said.stdout)


class ChangelogTests(unittest.TestCase):
    def written(self, *arguments):
        return run(PACKAGING / "changelog", "countersign-hub", "1.0+git1", "Tests <tests@example.org>", "Tue, 14 Nov 2023 22:13:20 +0000",
                   *arguments)

    def test_dpkg_reads_it_and_finds_the_changes(self):
        text = self.written().stdout
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            parsed = run("dpkg-parsechangelog", "-l", file.name)
        self.assertEqual((parsed.returncode, parsed.stderr), (0, ""))
        self.assertIn("Source: countersign-hub\nVersion: 1.0+git1\n", parsed.stdout)
        self.assertGreater(text.count("\n  * "), 5)
        self.assertLessEqual(max(map(len, text.splitlines())), 200)

    def test_a_section_without_changes_is_refused(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("# Changelog\n\n## 2.0\n\nNothing.\n\n## 1.0\n\n- something\n")
            file.flush()
            self.assertEqual(self.written(file.name).returncode, 65)


class HubExampleTests(unittest.TestCase):
    def test_the_file_of_the_hub_in_the_documentation_is_the_example_of_the_package(self):
        example = (PACKAGING / "hub/countersign-hub.json").read_text()
        page = (ROOT / "Documentation/fleet.md").read_text()
        self.assertIn("".join(f"    {line}\n" for line in example.splitlines()), page)
        self.assertEqual(json.loads(example)["chain"], "utopia")

    def test_every_setting_of_the_broker_is_one_that_mosquitto_knows(self):
        with tempfile.TemporaryDirectory() as folder:
            settings = (PACKAGING / "hub/mosquitto.conf").read_text()
            for line in ("plugin ", "plugin_opt", "cafile", "certfile", "keyfile"):
                settings = re.sub(rf"(?m)^{line}.*\n", "", settings)
            for name, text, fault in [("whole", settings, None), ("wrong", settings + "message_limit 1\n", "Unknown configuration variable")]:
                file = pathlib.Path(folder) / name
                with socket.socket() as held:
                    held.bind(("127.0.0.1", 0))
                    port = held.getsockname()[1]
                file.write_text(text.replace("listener 8883", f"listener {port} 127.0.0.1"))
                said = run("timeout", "2", "/usr/sbin/mosquitto", "-c", file).stderr
                self.assertEqual("Unknown configuration" in said, fault is not None, said)


class ArchitectureNameTests(unittest.TestCase):
    # The guests run one kernel; the list of system calls is that of the processor.
    NAMED = {"Sources/System/CSeccomp/shim.h"}

    def test_nothing_that_is_built_or_installed_names_an_architecture(self):
        files = run("git", "-C", ROOT, "grep", "-lIE", r"amd64|arm64|x86[_-]64|aarch64", "--", "Sources", "Package.swift",
                    "Hardware/Packaging", "Hardware/systemd", "Hardware/udev", "Hardware/polkit", "Hardware/bluetooth",
                    "Hardware/modprobe", "Hardware/steps.sh").stdout.split()
        self.assertEqual({file for file in files if not file.endswith(".md")}, self.NAMED)

    def test_what_was_not_tried_is_listed(self):
        self.assertRegex((ROOT / "Documentation/hardware.md").read_text(), r"\| processor \| amd64 \| arm64")


class ResolvedVersionTests(unittest.TestCase):
    """The build has the versions of packages that were tested."""

    def differences(self, tested, resolved):
        pins = {pin["identity"]: pin["state"].get("version") for pin in json.loads(resolved)["pins"]}
        listed = dict(line.split() for line in tested.splitlines() if line and not line.startswith("#"))
        return sorted(f"{name}: tested with {listed.get(name)}, resolved {pins.get(name)}"
                      for name in pins.keys() | listed.keys() if pins.get(name) != listed.get(name))

    def test_the_build_resolved_the_versions_that_were_tested(self):
        tested = (ROOT / "Hardware/Packaging/swift-packages.txt").read_text()
        self.assertEqual(self.differences(tested, (ROOT / "Package.resolved").read_text()), [])

    def test_another_version_a_further_package_and_one_that_is_missing_are_found(self):
        resolved = json.dumps({"pins": [{"identity": "a", "state": {"version": "1.0.1"}}, {"identity": "b", "state": {"version": "2.0.0"}}]})
        self.assertEqual(self.differences("# versions\na 1.0.1\nb 2.0.0\n", resolved), [])
        self.assertEqual(self.differences("a 1.0.0\nc 3.0.0\n", resolved), [
            "a: tested with 1.0.0, resolved 1.0.1", "b: tested with None, resolved 2.0.0", "c: tested with 3.0.0, resolved None"])

    def test_a_direct_dependency_may_change_by_its_last_number_alone(self):
        dependencies = (ROOT / "Package.swift").read_text().split("    targets: ")[0]
        found = re.findall(r'\.package\(\s*url: "[^"]+", (\.upToNextMinor\(from|exact|from|branch|revision)', dependencies)
        self.assertEqual(len(found), dependencies.count(".package("))
        self.assertEqual(set(found) - {".upToNextMinor(from", "exact"}, set())


if __name__ == "__main__":
    unittest.main()
