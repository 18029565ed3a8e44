// What needs the owner's attention: each thing with what to do about it, and the command if there is one.

const asDaemon = "runuser -u countersign -- countersign";
const store = "--store /var/lib/countersign";
const doctor = `${asDaemon} doctor ${store}`;
const dayMilliseconds = 86_400_000;
/// The faults that have words, by the daemon's ids. Each has the key of its words, the command that helps or
/// null, and whether the daemon's own text says more.
const faults = {
    readerMissing: ["readerMissing"], readerInUse: ["readerInUse"], readerBlocked: ["readerBlocked"],
    stopped: ["stopped", "systemctl restart countersignd", true],
    trustNotSetUp: ["trustNotSetUp", `chmod -R a+rX /srv/roots\n${asDaemon} trust import /srv/roots ${store}`],
    recordsUnavailable: ["records", "df --human-readable /var/lib/countersign", true],
    receiptsDelayed: ["records", "df --human-readable /var/lib/countersign", true],
    accessoryNotReady: ["accessory", "systemctl status countersign-accessories", true],
};
/// The states of Bluetooth that need attention, with the command that helps.
const radios = { off: "bluetoothctl power on", unprepared: "countersign doctor --fix", missing: doctor };

/// Returns everything that needs attention: `what` (a text), `detail` (the daemon's own English text, or
/// null), `action` (a text) and `command` (or null).
export function attention(overview, strings) {
    const { doctor: examination, time, trust, identities, attention: limits } = overview;
    return [
        ...overview.faults.map((fault) => ofFault(fault, overview.lanes, strings)),
        ...(examination?.findings ?? []).filter(isOfComputer).map((finding) => ofFinding(finding, strings)),
        ...overview.lanes.filter((lane) => isPausedAlone(lane, overview.faults)).map((lane) => ofPause(lane, strings)),
        // Without trust or a list there is no age, and the comparison with NaN is false.
        ...(Math.floor(trust?.ageSeconds / 86_400) > limits.listDays
            ? [item(strings, "list", { duration: strings.duration(trust.ageSeconds) }, `${asDaemon} trust update ${store}`)] : []),
        ...identities.flatMap((identity) => ofIdentity(identity, Date.parse(time), limits.identityDays, strings)),
        ...(overview.acceptsTestDocuments ? [item(strings, "test", {}, "systemctl reload countersignd")] : []),
    ];
}

function item(strings, key, values = {}, command = null, detail = null, action = key) {
    return { what: strings.text(`owner.fault.${key}`, values), detail, action: strings.text(`owner.do.${action}`), command };
}

function atLane(strings, lane, found) {
    return lane === undefined ? found : { ...found, what: strings.text("owner.atLane", { lane, text: found.what }) };
}

function ofFault({ id, lane: name, text }, lanes, strings) {
    const lane = lanes.find((one) => one.lane === name);
    // The state of a lane without Bluetooth is “ready”, and its fault is Bluetooth.
    if (id === "ready" && Object.hasOwn(radios, lane?.bluetooth)) {
        return atLane(strings, name, item(strings, lane.bluetooth, {}, radios[lane.bluetooth], lane.bluetooth === "missing" ? text : null));
    }
    if (id === "stopped" && lane?.link === "benchLink") {
        return atLane(strings, name, item(strings, "wallet"));
    }
    if (!Object.hasOwn(faults, id)) {
        return atLane(strings, name, unknown(text, strings));
    }
    const [key, command = null, isDetailed = false] = faults[id];
    return atLane(strings, name, item(strings, key, {}, command, isDetailed ? text : null));
}

function unknown(text, strings) {
    return { what: strings.text("owner.fault.other"), detail: text, action: strings.text("owner.do.doctor"), command: doctor };
}

/// Whether a finding is about the computer. The daemon reports trust and identities itself.
function isOfComputer({ id }) {
    return !id.startsWith("trust.") && !id.startsWith("identity.");
}

function ofFinding({ id, text, fix }, strings) {
    return { what: strings.text("owner.fault.computer", { id }), detail: text,
        action: strings.text(fix === undefined ? "owner.do.doctor" : "owner.do.fix"), command: fix ?? doctor };
}

function isPausedAlone({ lane, standing }, found) {
    return standing?.isPaused === true && !found.some((fault) => fault.lane === lane);
}

function ofPause({ lane, standing }, strings) {
    return atLane(strings, lane, item(strings, "paused", {}, null, standing.reason?.text ?? null));
}

function ofIdentity({ name, expires, fault }, now, warningDays, strings) {
    const left = Date.parse(expires) - now;
    const isSoon = left < warningDays * dayMilliseconds;
    const key = fault !== undefined ? "identity" : left < 0 ? "expired" : isSoon ? "expiring" : null;
    const values = key === "expiring" ? { name, duration: strings.duration(left / 1_000) } : { name };
    const command = `${asDaemon} identity csr ${name} ${store} > /root/${name}.csr`;
    return key === null ? [] : [item(strings, key, values, command, fault ?? null, "identity")];
}
