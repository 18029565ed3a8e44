// The include path from pkg-config is /usr/include/PCSC, so the names of the headers have no folder.
#include <pcsclite.h>
#include <reader.h>
#include <winscard.h>
#include <wintypes.h>
