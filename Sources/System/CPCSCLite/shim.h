// pkg-config gives -I/usr/include/PCSC; these are the names below it.
#include <pcsclite.h>
#include <reader.h>
#include <winscard.h>
#include <wintypes.h>
