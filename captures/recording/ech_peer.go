// Command ech_peer runs a TLS 1.3 server and client of Go's crypto/tls with Encrypted ClientHello (RFC 9849), in one process.
//
//	ech_peer MODE CERTIFICATES KEY ADDRESS KEYLOG
//
// MODE is accepted, logged (accepted, and the key log also has ECH_SECRET and ECH_CONFIG), retried (accepted after a
// HelloRetryRequest), retried-logged, rejected (the client has the key of another server), rejected-logged, mixed (three accepted,
// one without ECH), quic or quic-logged (accepted over QUIC).
package main

import (
	"bufio"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

const publicName = "public.example.net"

// protocols is the client's ALPN offer, which QUIC requires.
var protocols []string

// ech is a key pair of a server, with its ECHConfig and ECHConfigList.
type ech struct {
	config []byte
	list   []byte
	key    *ecdh.PrivateKey
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// newECH makes a key pair of DHKEM(X25519, HKDF-SHA256) and its ECHConfig with AES-128-GCM.
func newECH(id byte) ech {
	key := must(ecdh.X25519().GenerateKey(rand.Reader))
	contents := []byte{id, 0x00, 0x20}
	contents = binary.BigEndian.AppendUint16(contents, 32)
	contents = append(contents, key.PublicKey().Bytes()...)
	contents = append(contents, 0, 4, 0, 1, 0, 1, 32, byte(len(publicName)))
	contents = append(append(contents, publicName...), 0, 0)
	config := binary.BigEndian.AppendUint16([]byte{0xFE, 0x0D}, uint16(len(contents)))
	config = append(config, contents...)
	return ech{config, append(binary.BigEndian.AppendUint16(nil, uint16(len(config))), config...), key}
}

// tap keeps the first bytes that the client sends, which contain its outer ClientHello.
type tap struct {
	net.Conn
	first []byte
}

func (t *tap) Read(bytes []byte) (int, error) {
	count, err := t.Conn.Read(bytes)
	if len(t.first) < 1<<14 {
		t.first = append(t.first, bytes[:count]...)
	}
	return count, err
}

// labeled is the labeled input of LabeledExtract, and of LabeledExpand without its length (RFC 9180 section 4).
func labeled(label string, input []byte) []byte {
	return append([]byte("HPKE-v1KEM\x00\x20"+label), input...)
}

// secret returns the random of an outer ClientHello, and the KEM's shared secret for its encapsulated key.
func (e ech) secret(record []byte) (random, secret []byte) {
	hello := record[9:]
	random = hello[2:34]
	rest := hello[34:]
	rest = rest[1+int(rest[0]):]
	rest = rest[2+int(binary.BigEndian.Uint16(rest)):]
	rest = rest[1+int(rest[0]):]
	rest = rest[2:]
	for binary.BigEndian.Uint16(rest) != 0xFE0D {
		rest = rest[4+int(binary.BigEndian.Uint16(rest[2:])):]
	}
	enc := rest[4+8 : 4+8+32]
	shared := must(e.key.ECDH(must(ecdh.X25519().NewPublicKey(enc))))
	eae := must(hkdf.Extract(sha256.New, labeled("eae_prk", shared), nil))
	context := append(append([]byte{}, enc...), e.key.PublicKey().Bytes()...)
	info := append([]byte{0, 32}, labeled("shared_secret", context)...)
	return random, must(hkdf.Expand(sha256.New, eae, string(info), 32))
}

// log writes the lines of the key log that decrypt the inner ClientHello.
func (e ech) log(to io.Writer, record []byte) {
	random, secret := e.secret(record)
	fmt.Fprintf(to, "ECH_SECRET %x %x\nECH_CONFIG %x %x\n", random, secret, random, e.config)
}

func clientConfig(list []byte, log io.Writer) *tls.Config {
	return &tls.Config{
		ServerName:                          "api.example.com",
		InsecureSkipVerify:                  true,
		EncryptedClientHelloConfigList:      list,
		EncryptedClientHelloRejectionVerify: func(tls.ConnectionState) error { return nil },
		MinVersion:                          tls.VersionTLS13,
		CurvePreferences:                    []tls.CurveID{tls.X25519, tls.CurveP384},
		KeyLogWriter:                        log,
		NextProtos:                          protocols,
	}
}

func main() {
	mode, isLogged := strings.CutSuffix(os.Args[1], "logged")
	mode = strings.TrimSuffix(mode, "-")
	certificate := must(tls.LoadX509KeyPair(os.Args[2], os.Args[3]))
	address := net.JoinHostPort(os.Args[4], "443")
	log := must(os.OpenFile(os.Args[5], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	own, other := newECH(7), newECH(8)
	server := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		EncryptedClientHelloKeys: []tls.EncryptedClientHelloKey{
			{Config: own.config, PrivateKey: own.key.Bytes(), SendAsRetry: true},
		},
		MinVersion: tls.VersionTLS13,
	}
	if mode == "retried" {
		server.CurvePreferences = []tls.CurveID{tls.CurveP384}
	}
	if mode == "quic" {
		protocols = []string{"h3"}
		server.NextProtos = protocols
		hello := overQUIC(address, clientConfig(own.list, log), server)
		if isLogged {
			own.log(log, hello)
		}
		return
	}
	listener := must(net.Listen("tcp", address))
	done := make(chan bool)
	go func() {
		for {
			connection := must(listener.Accept())
			tapped := &tap{Conn: connection}
			secure := tls.Server(tapped, server)
			if _, err := bufio.NewReader(secure).ReadString('\n'); err == nil {
				io.WriteString(secure, "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nhello\n")
			}
			if isLogged {
				used := own
				if mode == "rejected" {
					used = other
				}
				used.log(log, tapped.first)
			}
			secure.Close()
			done <- true
		}
	}()
	lists := [][]byte{own.list}
	switch mode {
	case "rejected":
		lists = [][]byte{other.list}
	case "mixed":
		lists = [][]byte{own.list, nil, own.list, own.list}
	}
	for _, list := range lists {
		client := clientConfig(list, log)
		connection, err := tls.Dial("tcp", address, client)
		var rejection *tls.ECHRejectionError
		if mode == "rejected" {
			if !errors.As(err, &rejection) {
				panic("the server did not reject ECH")
			}
		} else {
			if err != nil {
				panic(err)
			}
			if connection.ConnectionState().ECHAccepted != (list != nil) {
				panic("the server accepted ECH without an offer, or rejected it")
			}
			fmt.Fprint(connection, "GET /hello.txt HTTP/1.0\n")
			must(io.ReadAll(connection))
			connection.Close()
		}
		<-done
	}
}
