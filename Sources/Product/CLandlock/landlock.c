#define _GNU_SOURCE
#include "CLandlock.h"

#if defined(__linux__)

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The numbers are the same on every architecture (include/uapi/asm-generic/unistd.h).
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

struct ruleset_attributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

struct path_beneath_attributes {
  uint64_t allowed_access;
  int32_t parent_fd;
} __attribute__((packed));

int landlock_version(void) { return (int)syscall(CREATE_RULESET, (void *)0, (size_t)0, CREATE_RULESET_VERSION); }

int landlock_ruleset(uint64_t file_access, uint64_t network_access, uint64_t scopes, uintptr_t byte_count) {
  struct ruleset_attributes attributes = {file_access, network_access, scopes};
  if (byte_count > sizeof attributes) return -1;
  return (int)syscall(CREATE_RULESET, &attributes, (size_t)byte_count, 0);
}

int landlock_allow(int ruleset, const char *path, uint64_t folder_access, uint64_t file_access) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  struct stat facts;
  long status = -1;
  if (descriptor < 0) return -1;
  if (fstat(descriptor, &facts) == 0) {
    struct path_beneath_attributes attributes = {S_ISDIR(facts.st_mode) ? folder_access : file_access, descriptor};
    status = syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &attributes, 0);
  }
  close(descriptor);
  return (int)status;
}

int landlock_apply(int ruleset) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(RESTRICT_SELF, ruleset, 0);
}

#else

int landlock_version(void) { return 0; }
int landlock_ruleset(uint64_t file_access, uint64_t network_access, uint64_t scopes, uintptr_t byte_count) {
  (void)file_access, (void)network_access, (void)scopes, (void)byte_count;
  return -1;
}
int landlock_allow(int ruleset, const char *path, uint64_t folder_access, uint64_t file_access) {
  (void)ruleset, (void)path, (void)folder_access, (void)file_access;
  return -1;
}
int landlock_apply(int ruleset) {
  (void)ruleset;
  return -1;
}

#endif
