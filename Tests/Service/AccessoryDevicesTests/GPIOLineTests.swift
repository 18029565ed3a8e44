import AccessoryDevices
import Testing

@Suite("Lines of a GPIO chip", .enabled(if: GuestDevices.hasGPIOSimulator, GuestDevices.gpioAbsence))
struct GPIOLineTests {
    @Test("A line is off when it is taken, follows what is set, and is read back", arguments: [false, true])
    func levels(_ isActiveLow: Bool) throws {
        let chip = try GPIOSimulator(lines: 8)
        do {
            let line = try GPIOLine(chip: chip.path, line: 3, isActiveLow: isActiveLow)
            #expect(try chip.level(3) == (isActiveLow ? 1 : 0))
            #expect(try !line.isOn())
            for isOn in [true, false, true] {
                try line.set(isOn)
                #expect(try chip.level(3) == (isOn != isActiveLow ? 1 : 0))
                #expect(try line.isOn() == isOn)
            }
        }
        // The line was on when it was released. Taken again, it is off.
        do {
            let line = try GPIOLine(chip: chip.path, line: 3, isActiveLow: isActiveLow)
            #expect(try !line.isOn())
        }
        try chip.remove()
    }

    @Test("A line in use is busy, and another line of the chip is not")
    func exclusive() throws {
        let chip = try GPIOSimulator(lines: 2)
        let path = chip.path
        do {
            let line = try GPIOLine(chip: path, line: 0, isActiveLow: false)
            #expect(throws: DeviceFault.busy) { _ = try GPIOLine(chip: path, line: 0, isActiveLow: false) }
            _ = try GPIOLine(chip: path, line: 1, isActiveLow: false)
            #expect(try !line.isOn())
        }
        _ = try GPIOLine(chip: path, line: 0, isActiveLow: false)
        try chip.remove()
    }

    @Test("A line that the chip does not have is misconfigured", arguments: [-1, 8, 1000, Int.max])
    func noLine(_ number: Int) throws {
        let chip = try GPIOSimulator(lines: 8)
        let path = chip.path
        let error = #expect(throws: DeviceFault.self) {
            _ = try GPIOLine(chip: path, line: number, isActiveLow: false)
        }
        #expect(error == .misconfigured("the GPIO chip has no line \(number); its lines are 0 to 7"))
        try chip.remove()
    }

    @Test("A chip that was removed is absent")
    func removed() throws {
        let chip = try GPIOSimulator(lines: 1)
        let line = try GPIOLine(chip: chip.path, line: 0, isActiveLow: false)
        try line.set(true)
        try chip.remove()
        #expect(throws: DeviceFault.absent) { try line.set(false) }
        #expect(throws: DeviceFault.absent) { try line.isOn() }
    }
}
