// Runs a program, discards its output and prints what it used:
//
//   usage PROGRAM ARGUMENT…    ->    exit status, microseconds of user and system time, peak memory in bytes
//
// A separate program, because Linux counts a parent's memory towards the peak of the child; this one has next to none.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long microseconds(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

int main(int count, char **arguments) {
  if (count < 2) return 64;
  pid_t child = fork();
  if (child < 0) return 70;
  if (child == 0) {
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    execvp(arguments[1], arguments + 1);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) return 70;
#ifdef __APPLE__
  long long peak = usage.ru_maxrss;
#else
  long long peak = usage.ru_maxrss * 1024LL;
#endif
  printf("%d %lld %lld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
         microseconds(usage.ru_utime) + microseconds(usage.ru_stime), peak);
  return 0;
}
