#pragma once

#include <linux/gpio.h>
#include <linux/hidraw.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

// The request numbers of these ioctls are macros with a size in them, which Swift does not import. Each
// function below makes one call with one request, and returns the result of ioctl(2): -1 with errno set on
// failure. The length of a result is returned where the kernel reports it.

// MARK: evdev (linux/input.h)

/// Reads the bus, vendor and product numbers of an input device.
static inline int countersign_input_id(int device, struct input_id *id) {
    return ioctl(device, EVIOCGID, id);
}

/// Reads the codes of one event type that an input device can send, as a bit field.
static inline int countersign_input_codes(int device, unsigned type, void *bits, size_t size) {
    return ioctl(device, EVIOCGBIT(type, size), bits);
}

/// Reads the keys that are held down, as a bit field.
static inline int countersign_input_keys_down(int device, void *bits, size_t size) {
    return ioctl(device, EVIOCGKEY(size), bits);
}

/// Reads the LEDs that are on, as a bit field.
static inline int countersign_input_leds(int device, void *bits, size_t size) {
    return ioctl(device, EVIOCGLED(size), bits);
}

/// Takes an input device exclusively (1), or releases it (0).
static inline int countersign_input_grab(int device, int grab) {
    // The kernel reads the argument itself, not memory that it points to.
    return ioctl(device, EVIOCGRAB, (unsigned long)grab);
}

// MARK: hidraw (linux/hidraw.h)

/// Reads the bus, vendor and product numbers of a HID device.
static inline int countersign_hid_info(int device, struct hidraw_devinfo *info) {
    return ioctl(device, HIDIOCGRAWINFO, info);
}

/// Reads the length in bytes of the report descriptor.
static inline int countersign_hid_descriptor_size(int device, int *size) {
    return ioctl(device, HIDIOCGRDESCSIZE, size);
}

/// Reads the report descriptor into a `struct hidraw_report_descriptor`, whose `size` is the length to read.
/// Swift does not import the struct's array, so that the memory is passed without a type.
static inline int countersign_hid_descriptor(int device, void *descriptor) {
    return ioctl(device, HIDIOCGRDESC, descriptor);
}

/// Reads the maker's and the product's name. Returns the length with the final NUL.
static inline int countersign_hid_name(int device, void *name, size_t size) {
    return ioctl(device, HIDIOCGRAWNAME(size), name);
}

/// Reads a feature report, whose number is the first byte of `report`. Returns the length.
static inline int countersign_hid_feature(int device, void *report, size_t size) {
    return ioctl(device, HIDIOCGFEATURE(size), report);
}

// MARK: uinput (linux/uinput.h)

/// Allows a type of event for the device to be created.
static inline int countersign_uinput_allow_type(int device, int type) {
    return ioctl(device, UI_SET_EVBIT, (unsigned long)type);
}

/// Allows a key for the device to be created.
static inline int countersign_uinput_allow_key(int device, int code) {
    return ioctl(device, UI_SET_KEYBIT, (unsigned long)code);
}

/// Allows an LED for the device to be created.
static inline int countersign_uinput_allow_led(int device, int code) {
    return ioctl(device, UI_SET_LEDBIT, (unsigned long)code);
}

/// Sets the name and the numbers of the device to be created.
static inline int countersign_uinput_setup(int device, const struct uinput_setup *setup) {
    return ioctl(device, UI_DEV_SETUP, setup);
}

/// Creates the device.
static inline int countersign_uinput_create(int device) {
    return ioctl(device, UI_DEV_CREATE);
}

/// Removes the device.
static inline int countersign_uinput_destroy(int device) {
    return ioctl(device, UI_DEV_DESTROY);
}

/// Reads the device's name in `/sys/devices/virtual/input`, such as `input7`. Returns the length with the
/// final NUL.
static inline int countersign_uinput_system_name(int device, void *name, size_t size) {
    return ioctl(device, UI_GET_SYSNAME(size), name);
}

// MARK: GPIO character device, version 2 of its interface (linux/gpio.h)

/// Reads the name and the number of lines of a GPIO chip.
static inline int countersign_gpio_chip(int chip, struct gpiochip_info *info) {
    return ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, info);
}

/// Requests lines of a GPIO chip. On success `request->fd` is a descriptor that holds the lines.
static inline int countersign_gpio_request(int chip, struct gpio_v2_line_request *request) {
    return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, request);
}

/// Sets the lines of a request.
static inline int countersign_gpio_set(int lines, struct gpio_v2_line_values *values) {
    return ioctl(lines, GPIO_V2_LINE_SET_VALUES_IOCTL, values);
}

/// Reads the lines of a request.
static inline int countersign_gpio_get(int lines, struct gpio_v2_line_values *values) {
    return ioctl(lines, GPIO_V2_LINE_GET_VALUES_IOCTL, values);
}

// MARK: Files and the process

/// Returns the major number of a device.
static inline unsigned countersign_device_major(dev_t device) {
    return major(device);
}

/// Returns the minor number of a device.
static inline unsigned countersign_device_minor(dev_t device) {
    return minor(device);
}

/// Prevents core dumps of this process, and stops other processes of the same user from reading its memory.
static inline int countersign_devices_hide_memory(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Makes the kernel send `signal` to this process when the thread that started the process has ended.
static inline int countersign_devices_parent_signal(int signal) {
    return prctl(PR_SET_PDEATHSIG, (unsigned long)signal, 0, 0, 0);
}
