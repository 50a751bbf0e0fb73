// Reads a capture with libpcap and an empty callback: the reference of `make bench`.
#include <pcap/pcap.h>
#include <stdio.h>

static void nothing(u_char *context, const struct pcap_pkthdr *header, const u_char *bytes) {
  (void)context;
  (void)header;
  (void)bytes;
}

int main(int count, char **arguments) {
  char reason[PCAP_ERRBUF_SIZE];
  if (count != 2) {
    fprintf(stderr, "usage: pcap_loop FILE\n");
    return 64;
  }
  pcap_t *capture = pcap_open_offline(arguments[1], reason);
  if (!capture) {
    fprintf(stderr, "pcap_loop: %s\n", reason);
    return 2;
  }
  int result = pcap_loop(capture, -1, nothing, NULL);
  if (result < 0) fprintf(stderr, "pcap_loop: %s\n", pcap_geterr(capture));
  pcap_close(capture);
  return result < 0 ? 2 : 0;
}
