// The C library of macOS, as far as Sources/, the C libraries and the Swift packages use it: types, members and values are those of
// Apple's headers (bsd/sys of xnu), where these differ from Linux too.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;
typedef long ssize_t;
typedef long time_t;
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef int32_t dev_t;
typedef int32_t pid_t;
typedef uint32_t sigset_t;
typedef void (*sig_t)(int);

// sys/stat.h
struct timespec {
  long tv_sec;
  long tv_nsec;
};
struct timeval {
  long tv_sec;
  int32_t tv_usec;
};
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  uint16_t st_nlink;
  uint64_t st_ino;
  uint32_t st_uid;
  uint32_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  int64_t st_blocks;
  int32_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
};
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
int fstat(int, struct stat *);
int fstatat(int, const char *, struct stat *, int);
int chmod(const char *, mode_t);
int mkdir(const char *, mode_t);

// fcntl.h, unistd.h
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_SYMLINK_FOLLOW 0x0040
#define F_GETFD 1
#define SEEK_SET 0
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
int close(int);
int dup(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
off_t lseek(int, off_t, int);
int linkat(int, const char *, int, const char *, int);
int unlink(const char *);
int unlinkat(int, const char *, int);
int rename(const char *, const char *);
int isatty(int);
pid_t getpid(void);
void _exit(int) __attribute__((noreturn));

// dirent.h
struct dirent {
  uint64_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
typedef struct _dirdesc {
  int fd;
} DIR;
DIR *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *);

// poll.h, sys/mman.h, sys/ttycom.h
struct pollfd {
  int fd;
  short events;
  short revents;
};
#define POLLIN 0x0001
int poll(struct pollfd *, unsigned int, int);
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_PRIVATE 0x0002
#define MAP_ANON 0x1000
void *mmap(void *, size_t, int, int, int, off_t);
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};

// signal.h
#define SIGINT 2
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGPIPE 13
#define SIGTERM 15
#define SIG_BLOCK 1
#define SIG_SETMASK 3
#define SA_RESETHAND 0x0004
union __sigaction_u {
  void (*__sa_handler)(int);
  void (*__sa_sigaction)(int, void *, void *);
};
struct sigaction {
  union __sigaction_u __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigfillset(sigset_t *);
int sigprocmask(int, const sigset_t *, sigset_t *);
void (*signal(int, void (*)(int)))(int);

// errno.h
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define EACCES 13
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EPIPE 32

// stdlib.h, string.h, stdio.h, time.h
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define EX_USAGE 64
typedef struct __sFILE {
  int _file;
} FILE;
extern FILE *__stdoutp;
extern FILE *__stderrp;
int fputs(const char *, FILE *);
int putc(int, FILE *);
int fileno(FILE *);
void exit(int) __attribute__((noreturn));
void free(void *);
char *getenv(const char *);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
char *realpath(const char *, char *);
size_t strlen(const char *);
char *strerror(int);
struct tm {
  int tm_sec;
  int tm_min;
  int tm_hour;
  int tm_mday;
  int tm_mon;
  int tm_year;
  int tm_wday;
  int tm_yday;
  int tm_isdst;
  long tm_gmtoff;
  char *tm_zone;
};
time_t time(time_t *);

// sys/socket.h, for libpcap's header
typedef uint8_t sa_family_t;
struct sockaddr {
  uint8_t sa_len;
  sa_family_t sa_family;
  char sa_data[14];
};
