internal import Doctor

/// The files of settings that a counter may miss.
extension SettingsFile {
    /// Q124.
    static let kernelModules = SettingsFile(
        "/etc/modprobe.d/countersign-nfc.conf", PackageResources.modprobe_conf,
        "keeps the kernel's NFC drivers off PC/SC readers", afterwards: "modprobe -r pn533_usb pn533 nfc")

    /// Q133. polkit looks at its folders by itself.
    static let polkit = SettingsFile(
        "/etc/polkit-1/rules.d/50-countersign.rules", PackageResources.polkit_rules,
        "lets the user and the group countersign use readers", afterwards: nil)

    static let readerPower = SettingsFile(
        "/etc/udev/rules.d/93-countersign.rules", PackageResources.udev_rules, "keeps readers awake",
        afterwards: "udevadm control --reload && udevadm trigger --subsystem-match=usb")

    private static let bluetoothRestart = "systemctl daemon-reload && systemctl restart bluetooth"

    static let bluetooth = [
        SettingsFile(
            "/etc/countersign/bluetooth-main.conf", PackageResources.main_conf, "bluetoothd's settings",
            afterwards: bluetoothRestart),
        SettingsFile(
            "/etc/systemd/system/bluetooth.service.d/countersign.conf",
            PackageResources.bluetooth_unit_conf, "makes bluetoothd read them, without plugins that pair",
            afterwards: bluetoothRestart),
    ]

    static let smallValues = [
        SettingsFile(
            "/etc/dbus-1/system.d/countersign-bluetooth.conf", PackageResources.dbus_conf,
            "lets thousands of small values be on their way at once", afterwards: "systemctl reload dbus"),
        SettingsFile(
            "/etc/sysctl.d/60-countersign-bluetooth.conf", PackageResources.sysctl_conf,
            "lets small values wait for bluetoothd",
            afterwards: "sysctl --load /etc/sysctl.d/60-countersign-bluetooth.conf"),
    ]
}
