# Sourced by try and test: named and timed steps, and the Debian packages they need.

readonly root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
steps=()

say() { printf '\n== %s\n' "$1"; }

stop() { # MESSAGE STATUS
    printf '\n%s: %s\n' "${0##*/}" "$1" >&2
    exit "$2"
}

# Runs a command as a named step; its time goes into the summary, its failure ends the script.
step() { # NAME COMMAND...
    local name=$1 start=$SECONDS status; shift
    say "$name"
    "$@"
    status=$?
    steps+=("$(printf '%5d s  %s%s' $((SECONDS - start)) "$name" "$([ $status -eq 0 ] || echo "  (failed: $status)")")")
    [ $status -eq 0 ] || { summary; stop "$name failed" $status; }
}

summary() {
    say "How long each part took"
    printf '%s\n' "${steps[@]}"
}

require_swift() {
    command -v swift >/dev/null || stop "no swift on the PATH; install a Swift 6.3 toolchain (swift.org/install)" 69
    swift --version 2>&1 | head -n 1
}

# Installs what is missing, or says what is: an ordinary user cannot install.
install_packages() { # PACKAGE...
    local package missing=()
    for package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || { echo "nothing to install"; return 0; }
    if [ "$(id -u)" -ne 0 ]; then
        echo "missing: ${missing[*]}"
        echo "as root: apt-get install --no-install-recommends ${missing[*]}"
        return 69
    fi
    echo "installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    local log; log=$(mktemp)
    # A package starts its service where it can; the machine's own pcscd is not ours to start.
    if { apt-get install -y --no-install-recommends "${missing[@]}" ||
        { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; }; } >"$log" 2>&1
    then rm -f "$log"
    else tail -n 20 "$log"; rm -f "$log"; return 69
    fi
}

readonly build_packages=(libssl-dev libpcsclite-dev libsystemd-dev libbluetooth-dev zlib1g-dev libopenjp2-7-dev libpq-dev libmosquitto-dev
    libcurl4-openssl-dev libqrencode-dev libzxing-dev pkg-config)
readonly bench_packages=(pcscd vsmartcard-vpcd iproute2 util-linux)
# A TPM in software, and OpenSSL's way to it: for identities whose key cannot be copied.
readonly tpm_packages=(swtpm tpm2-openssl)
# A database that several servers share.
readonly database_packages=(postgresql)
# The broker of a fleet.
readonly broker_packages=(mosquitto mosquitto-clients)
# The second line builds the guest's kernel.
readonly air_packages=(busybox-static procps dbus bluez bluez-test-tools python3-venv pcscd libccid udev
    linux-source-6.1 gcc libc6-dev make flex bison m4 bc xz-utils perl
    qemu-system-x86 cpio kmod)
# Foreign programs that read keys and switch relay boards, and what makes the links to serial lines.
readonly accessory_packages=(python3-evdev usbrelay udev)
# What builds libosdp, the door controller of the tests, for Python.
readonly peer_packages=(python3-venv python3-dev gcc libc6-dev)
readonly packaging_packages=(dpkg-dev binutils debootstrap lintian man-db systemd udev apt gnupg)
# The languages of the example tills, and what checks the types of the client in JavaScript. golang-go: 81 MB to download, 464 MB installed.
readonly api_packages=(python3-venv nodejs golang-go node-typescript)
# What counts instructions, and the floor of decoding.
readonly count_packages=(valgrind libcbor-dev gcc libc6-dev)
# What the commands of the guides use.
readonly guide_packages=(curl jq)
readonly kiosk_packages=(chromium chromium-headless-shell nginx-light openssl python3-venv fonts-noto-core fonts-noto-cjk)

# Release builds are all alike, so that one does for try, the package and the benchmarks. What they would have for a debugger
# is cut off in the package, and costs a fifth of the time.
readonly release_options=(-c release --static-swift-stdlib -debug-info-format none)

build_release() { # PRODUCT...
    local product
    for product; do swift build --package-path "$root" "${release_options[@]}" --product "$product" </dev/null || return; done
}

release_folder() { swift build --package-path "$root" "${release_options[@]}" --show-bin-path; }

# What follows is for the steps of test-steps.json.

# Where nothing was built yet nothing is kept for a debugger or a change of one file: 939 s of a core for 1417. What somebody
# built for that is built on as it is. SwiftPM finds tests by the index, which needs our own modules alone.
build_debug() { # OPTION OF swift build...
    local option once=(-debug-info-format none)
    for option in -whole-module-optimization -num-threads 2 -index-ignore-system-modules -index-ignore-clang-modules; do
        once+=(-Xswiftc "$option")
    done
    [ ! -e "$root/.build/debug.yaml" ] || grep -q whole-module-optimization "$root/.build/debug.yaml" || once=()
    swift build --package-path "$root" "${once[@]}" "$@" </dev/null
}

build_tests() { build_debug --build-tests; }

# Suites that wait for real daemons, sockets and programs, with their own deadlines: they run one test at a time.
readonly waiting='^((TransportTests|PCSCTransportTests|BlueZTransportTests|HTTPClientTests|TrustFetchTests|PresentationServiceTests|ReaderAPITests|ReaderServiceTests|FieldTraceTests|PortraitDecodingTests|MQTTClientTests|AccessoryDevicesTests|TapToPresentTests|countersign_accessoriesTests|countersignTests|countersign_labTests|countersigndTests)\.|FleetTests\.(HubClient|FleetQuestion|FleetReceipt)Tests\b|FleetHubTests\.Broker)'
# What takes most of the time of countersignTests.
readonly answers='^countersignTests\.(FieldCase|Verify|VerifyCorpus|Channel|ElementValue|Request|RequestFiles|RequestFault|RequestSilence)Tests(/|$)'
# Suites that need Bluetooth, or USB readers, and so a guest.
readonly usb='PCSCTransportTests\.USBReader(List|Command)Tests|ReaderServiceTests\.USBReader(|Tap|Fault|Hang)Tests'
readonly bluetooth="^($usb|BlueZTransportTests\..*BenchTests|FieldTraceTests\.BluetoothFieldTraceTests|countersignTests\.BluetoothReadersTests|ReaderServiceTests\.Bluetooth(|Tap|Trace|Ending|Recovery|Leak|Fault)Tests|TapToPresentTests\.BluetoothPresentTests|countersigndTests\.BluetoothLaneTests|countersign_accessoriesTests\.BluetoothAccessoryTests)(/|$)"

# Suites that need the devices of accessories, and so a guest. On a computer with /dev/uinput, root's tests would type into whatever is
# in front.
readonly accessory_suites='AccessoryDevicesTests\.(Keyboard|HIDRawDevice|GPIOLine|ForeignKeyboard|ForeignRelay|SerialScanner)Tests'

# A suite that needs a pcscd that asks polkit.
readonly polkit='^countersignTests\.PolkitTests(/|$)'

test_polkit() { # OPTIONS OF Hardware/TestRun/tests
    [ "$(id -u)" -eq 0 ] || { echo "as root: an ordinary user's namespace has no other users for polkit to refuse"; return 69; }
    Hardware/VirtualBench/with-pcscd --suite trixie -- Hardware/TestRun/tests --no-parallel "$@"
}

# Tests in a guest with a real bluetoothd, COUNTERSIGN_BLUEZ_SUITE's where that is set, and a real pcscd. The phone is loaded once, in
# the background, for all that come.
test_in_guest() { # OPTIONS OF Hardware/TestRun/tests
    Hardware/VirtualBench/with-bluez ${COUNTERSIGN_BLUEZ_SUITE:+--suite "$COUNTERSIGN_BLUEZ_SUITE"} --log "$COUNTERSIGN_TEST_LOG" --timeout $((COUNTERSIGN_TEST_DEADLINE + 120)) -- \
        bash -c '"$COUNTERSIGN_BENCH_PHONE" --prepare; exec "$@"' - \
        Hardware/VirtualBench/with-pcscd -- Hardware/TestRun/tests --no-parallel "$@"
}

# Tests with USB readers that are programs, behind the guest's kernel, a real pcscd and libccid.
test_at_usb_readers() { # OPTIONS OF Hardware/TestRun/tests
    Hardware/VirtualBench/with-bluez --log "$COUNTERSIGN_TEST_LOG" --timeout $((COUNTERSIGN_TEST_DEADLINE + 120)) -- \
        bash -c '"$COUNTERSIGN_BENCH_PHONE" --prepare; exec "$@"' - \
        Hardware/VirtualBench/with-reader ${COUNTERSIGN_USB_ESCAPE:+--escape} --list acr1552u none -- Hardware/TestRun/tests --no-parallel "$@"
}

# Tests with keyboards, HID devices, GPIO lines and a serial scanner of the guest's kernel, and with foreign programs.
test_at_accessories() { # OPTIONS OF Hardware/TestRun/tests
    Hardware/VirtualBench/with-bluez --log "$COUNTERSIGN_TEST_LOG" --timeout $((COUNTERSIGN_TEST_DEADLINE + 120)) -- \
        Hardware/VirtualBench/with-accessories -- Hardware/TestRun/tests --no-parallel "$@"
}

# Ends and cuts off what a fleet consists of, in a network of its own whose only interface can be taken down.
fleet_faults() { # FOLDER HUBS BROKERS DATABASES CUTS [SLOW]
    local apart=(unshare --net)
    [ "$(id -u)" -eq 0 ] || apart+=(--map-root-user)
    Hardware/VirtualBench/with-postgresql -- "${apart[@]}" -- Hardware/VirtualBench/fleet-faults "$@"
}

# The scripts that build packages, and the packages that they build.
readonly package_scripts=(build-deb build-accessories-deb build-hub-deb build-lab-deb)
readonly built_packages=(countersign countersign-accessories countersign-hub countersign-lab)

build_packages() { # FOLDER
    local script
    rm -rf "$1"
    for script in "${package_scripts[@]}"; do Hardware/Packaging/"$script" "$1" || return; done
}

build_package() { build_packages .build/deb; }

check_packages() {
    local name
    for name in "${built_packages[@]}"; do Hardware/Packaging/check-deb .build/deb/"${name}"_*.deb || return; done
}

# Packed from the same programs they have the same contents. The second packing leaves out xz, which takes 200 s of a core
# and gives the same bytes for the same contents.
pack_again() {
    local again=.build/deb-again name part
    (export COUNTERSIGN_COMPRESSION=none && build_packages "$again") || return
    for name in "${built_packages[@]}"; do
        for part in --ctrl-tarfile --fsys-tarfile; do
            dpkg-deb $part .build/deb/${name}_*.deb > "$again/first.tar" && dpkg-deb $part "$again/$name"_*.deb > "$again/second.tar" &&
                cmp "$again/first.tar" "$again/second.tar" || return
        done
    done
}

# What is upgraded is the same package under a lower number.
install_and_remove() { # LOG-FOLDER [SUITE]
    rm -rf .build/older && dpkg-deb --raw-extract .build/deb/countersign_*.deb .build/older &&
        sed -i 's/^Version: .*/Version: 0/' .build/older/DEBIAN/control &&
        dpkg-deb --root-owner-group -Znone --build .build/older .build/deb/older.deb || return
    Hardware/Packaging/boot-deb --suite "${2-bookworm}" --log "$1" --timeout 1700 --hub .build/deb/countersign-hub_*.deb --accessories .build/deb/countersign-accessories_*.deb \
        --lab .build/deb/countersign-lab_*.deb .build/deb/countersign_*.deb .build/deb/older.deb
}
