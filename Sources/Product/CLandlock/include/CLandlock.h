// The system calls of Landlock (landlock(7)), which the C library has no functions for.
//
// Constants and structures stand here and not in <linux/landlock.h>: the headers of the machine that builds may be older than the kernel
// that runs. Everywhere but on Linux the calls fail.
#ifndef CLANDLOCK_H
#define CLANDLOCK_H

#include <stdint.h>

/// The version of Landlock that the kernel offers; 0 or less for none.
int landlock_version(void);

/// Creates a ruleset that denies what is named, and gives its descriptor; -1 where it cannot. The kernel of a version takes only the first
/// fields of the attributes: `byte_count` of them.
int landlock_ruleset(uint64_t file_access, uint64_t network_access, uint64_t scopes, uintptr_t byte_count);

/// Allows access to what a path leads to: `folder_access` to a folder and all below it, `file_access` to anything else; -1 where it cannot.
int landlock_allow(int ruleset, const char *path, uint64_t folder_access, uint64_t file_access);

/// Applies a ruleset to the calling thread and those that it starts, for good; -1 where it cannot.
int landlock_apply(int ruleset);

#endif
