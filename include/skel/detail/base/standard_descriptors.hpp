#pragma once

namespace skel {

/// Opens /dev/null as each of standard input, output and error that is closed, as they are under some daemons. Without
/// it, the next file that anybody opens gets that number, and messages are written into the file. Reading and writing
/// fail as before (EBADF), so that a program that checks its output still notices.
void occupy_standard_descriptors();

}  // namespace skel
