#pragma once

#include <linux/gpio.h>
#include <linux/hidraw.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <linux/videodev2.h>
#include <stddef.h>
#include <string.h>
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

// MARK: Cameras (V4L2, linux/videodev2.h)

// The structs have unions, and members that the kernel wants to be zero. They are filled here and are not visible in
// Swift.

/// Reads what the opened node of a device can do (`V4L2_CAP_…`).
static inline int countersign_camera_capabilities(int device, unsigned *capabilities) {
    struct v4l2_capability found;
    memset(&found, 0, sizeof found);
    int result = ioctl(device, VIDIOC_QUERYCAP, &found);
    *capabilities = found.capabilities & V4L2_CAP_DEVICE_CAPS ? found.device_caps : found.capabilities;
    return result;
}

/// Whether these capabilities are those of a camera whose pictures can be mapped into memory.
static inline int countersign_camera_is_usable(unsigned capabilities) {
    return (capabilities & V4L2_CAP_VIDEO_CAPTURE) && (capabilities & V4L2_CAP_STREAMING);
}

/// Asks for a format and size of pictures. The values that the driver has chosen instead are returned.
static inline int countersign_camera_format(
    int device, unsigned *format, unsigned *width, unsigned *height, unsigned *bytes_per_row) {
    struct v4l2_format wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    wanted.fmt.pix.pixelformat = *format;
    wanted.fmt.pix.width = *width;
    wanted.fmt.pix.height = *height;
    wanted.fmt.pix.field = V4L2_FIELD_NONE;
    int result = ioctl(device, VIDIOC_S_FMT, &wanted);
    *format = wanted.fmt.pix.pixelformat;
    *width = wanted.fmt.pix.width;
    *height = wanted.fmt.pix.height;
    *bytes_per_row = wanted.fmt.pix.bytesperline;
    return result;
}

/// Asks for buffers for pictures. The number that the driver has made is returned.
static inline int countersign_camera_buffers(int device, unsigned *count) {
    struct v4l2_requestbuffers wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    wanted.memory = V4L2_MEMORY_MMAP;
    wanted.count = *count;
    int result = ioctl(device, VIDIOC_REQBUFS, &wanted);
    *count = wanted.count;
    return result;
}

/// Reads the length of a buffer, and its offset for mmap(2).
static inline int countersign_camera_buffer(int device, unsigned index, unsigned *length, unsigned *offset) {
    struct v4l2_buffer buffer;
    memset(&buffer, 0, sizeof buffer);
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    buffer.index = index;
    int result = ioctl(device, VIDIOC_QUERYBUF, &buffer);
    *length = buffer.length;
    *offset = buffer.m.offset;
    return result;
}

/// Gives a buffer to the driver, which fills it with the next picture.
static inline int countersign_camera_queue(int device, unsigned index) {
    struct v4l2_buffer buffer;
    memset(&buffer, 0, sizeof buffer);
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    buffer.index = index;
    return ioctl(device, VIDIOC_QBUF, &buffer);
}

/// Takes the oldest buffer that has a picture, and reads the number of its bytes: 0 for a picture with an error.
static inline int countersign_camera_dequeue(int device, unsigned *index, unsigned *used) {
    struct v4l2_buffer buffer;
    memset(&buffer, 0, sizeof buffer);
    buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer.memory = V4L2_MEMORY_MMAP;
    int result = ioctl(device, VIDIOC_DQBUF, &buffer);
    *index = buffer.index;
    *used = buffer.flags & V4L2_BUF_FLAG_ERROR ? 0 : buffer.bytesused;
    return result;
}

/// Starts (1) or stops (0) the camera.
static inline int countersign_camera_stream(int device, int is_on) {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    return ioctl(device, is_on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

/// The request numbers of the calls above, in their order. They contain the sizes of the structs.
static const unsigned long countersign_camera_requests[] = {
    VIDIOC_QUERYCAP, VIDIOC_S_FMT, VIDIOC_REQBUFS, VIDIOC_QUERYBUF, VIDIOC_QBUF, VIDIOC_DQBUF,
    VIDIOC_STREAMON, VIDIOC_STREAMOFF,
};

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
