// QUIC version 1 packets (RFC 9000, RFC 9001) for the handshake of Go's crypto/tls, without acknowledgments and loss recovery.
package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"net"
)

// protection is the keys of one direction at one encryption level.
type protection struct {
	seal   cipher.AEAD
	vector []byte
	header cipher.Block
}

func expand(secret []byte, label string, count int) []byte {
	label = "tls13 " + label
	info := append([]byte{0, byte(count), byte(len(label))}, label...)
	return must(hkdf.Expand(sha256.New, secret, string(append(info, 0)), count))
}

func newProtection(secret []byte) *protection {
	block := must(aes.NewCipher(expand(secret, "quic key", 16)))
	return &protection{
		must(cipher.NewGCM(block)), expand(secret, "quic iv", 12), must(aes.NewCipher(expand(secret, "quic hp", 16))),
	}
}

func (p *protection) nonce(number uint32) []byte {
	nonce := append([]byte{}, p.vector...)
	binary.BigEndian.PutUint32(nonce[8:], binary.BigEndian.Uint32(nonce[8:])^number)
	return nonce
}

// end is one endpoint of a connection.
type end struct {
	tls            *tls.QUICConn
	isClient       bool
	send, receive  map[tls.QUICEncryptionLevel]*protection
	number, offset map[tls.QUICEncryptionLevel]uint32
	own, other     []byte
	sent           func([]byte)
	isDone         bool
}

func newEnd(connection *tls.QUICConn, isClient bool, own, other, original []byte, sent func([]byte)) *end {
	salt := must(hex.DecodeString("38762cf7f55934b34d179ae6a4c80cadccbb7f0a"))
	initial := must(hkdf.Extract(sha256.New, original, salt))
	client, server := newProtection(expand(initial, "client in", 32)), newProtection(expand(initial, "server in", 32))
	if !isClient {
		client, server = server, client
	}
	keys := func(first *protection) map[tls.QUICEncryptionLevel]*protection {
		return map[tls.QUICEncryptionLevel]*protection{tls.QUICEncryptionLevelInitial: first}
	}
	return &end{
		connection, isClient, keys(client), keys(server), map[tls.QUICEncryptionLevel]uint32{},
		map[tls.QUICEncryptionLevel]uint32{}, own, other, sent, false,
	}
}

// packet returns a protected packet with these frames at an encryption level.
func (e *end) packet(level tls.QUICEncryptionLevel, frames []byte) []byte {
	number := e.number[level]
	e.number[level]++
	var head []byte
	switch level {
	case tls.QUICEncryptionLevelApplication:
		head = append([]byte{0x43}, e.other...)
	default:
		first := byte(0xC3)
		if level == tls.QUICEncryptionLevelHandshake {
			first = 0xE3
		}
		head = append([]byte{first, 0, 0, 0, 1, byte(len(e.other))}, e.other...)
		head = append(append(head, byte(len(e.own))), e.own...)
		if level == tls.QUICEncryptionLevelInitial {
			head = append(head, 0)
			// A datagram with an Initial packet has at least 1200 bytes (RFC 9000 section 14.1).
			for len(head)+2+4+len(frames)+16 < 1200 {
				frames = append(frames, 0)
			}
		}
		head = binary.BigEndian.AppendUint16(head, 0x4000|uint16(4+len(frames)+16))
	}
	head = binary.BigEndian.AppendUint32(head, number)
	keys := e.send[level]
	packet := keys.seal.Seal(head, keys.nonce(number), frames, head)
	mask := make([]byte, 16)
	keys.header.Encrypt(mask, packet[len(head):len(head)+16])
	if packet[0]&0x80 != 0 {
		packet[0] ^= mask[0] & 0x0F
	} else {
		packet[0] ^= mask[0] & 0x1F
	}
	for index := range 4 {
		packet[len(head)-4+index] ^= mask[1+index]
	}
	return packet
}

// work handles the events of the handshake.
func (e *end) work() {
	for {
		event := e.tls.NextEvent()
		switch event.Kind {
		case tls.QUICNoEvent:
			return
		case tls.QUICSetReadSecret, tls.QUICSetWriteSecret:
			if event.Suite != tls.TLS_AES_128_GCM_SHA256 {
				panic("unexpected cipher suite")
			}
			keys := e.receive
			if event.Kind == tls.QUICSetWriteSecret {
				keys = e.send
			}
			keys[event.Level] = newProtection(event.Data)
		case tls.QUICTransportParametersRequired:
			e.tls.SetTransportParameters([]byte{0x0F, byte(len(e.own))})
		case tls.QUICWriteData:
			for data := event.Data; len(data) > 0; {
				part := data[:min(len(data), 1000)]
				data = data[len(part):]
				frame := binary.BigEndian.AppendUint32([]byte{6}, 0x80000000|e.offset[event.Level])
				frame = append(binary.BigEndian.AppendUint16(frame, 0x4000|uint16(len(part))), part...)
				e.offset[event.Level] += uint32(len(part))
				e.sent(e.packet(event.Level, frame))
			}
		case tls.QUICHandshakeDone:
			e.isDone = true
			// A STREAM frame with one line.
			e.sent(e.packet(tls.QUICEncryptionLevelApplication, append([]byte{0x09, 0x00}, "GET /hello.txt HTTP/1.0\n"...)))
		}
	}
}

// take reads a datagram with one packet, whose first frame is CRYPTO.
func (e *end) take(datagram []byte) {
	level, start := tls.QUICEncryptionLevelApplication, 1+len(e.own)
	if datagram[0]&0x80 != 0 {
		level, start = tls.QUICEncryptionLevelHandshake, 6+len(e.own)+1+len(e.other)+2
		if datagram[0]&0x30 == 0 {
			level, start = tls.QUICEncryptionLevelInitial, start+1
		}
	}
	keys := e.receive[level]
	if keys == nil || level == tls.QUICEncryptionLevelApplication {
		return
	}
	mask := make([]byte, 16)
	keys.header.Encrypt(mask, datagram[start+4:start+20])
	datagram[0] ^= mask[0] & 0x0F
	for index := range 4 {
		datagram[start+index] ^= mask[1+index]
	}
	number := binary.BigEndian.Uint32(datagram[start:])
	frames := must(keys.seal.Open(nil, keys.nonce(number), datagram[start+4:], datagram[:start+4]))
	length := binary.BigEndian.Uint16(frames[5:]) & 0x3FFF
	if err := e.tls.HandleData(level, frames[7:7+length]); err != nil {
		panic(err)
	}
	e.work()
}

// overQUIC runs one handshake and returns the client's outer ClientHello, after five bytes in place of a record header.
func overQUIC(address string, client, server *tls.Config) []byte {
	place := must(net.ResolveUDPAddr("udp", address))
	listener := must(net.ListenUDP("udp", place))
	dialer := must(net.DialUDP("udp", nil, place))
	names := make([]byte, 24)
	must(rand.Read(names))
	original, clientName, serverName := names[:8], names[8:16], names[16:]
	var hello []byte
	first := tls.QUICClient(&tls.QUICConfig{TLSConfig: client})
	second := tls.QUICServer(&tls.QUICConfig{TLSConfig: server})
	opening := newEnd(first, true, clientName, original, original, func(packet []byte) { must(dialer.Write(packet)) })
	answering := newEnd(second, false, serverName, clientName, original, func(packet []byte) {
		must(listener.WriteToUDP(packet, dialer.LocalAddr().(*net.UDPAddr)))
	})
	first.SetTransportParameters([]byte{0x0F, 8})
	if err := first.Start(context.Background()); err != nil {
		panic(err)
	}
	if err := second.Start(context.Background()); err != nil {
		panic(err)
	}
	opening.work()
	buffer := make([]byte, 2048)
	count := must(listener.Read(buffer))
	// The client's first packet has a Destination Connection ID that the client chose; it is as long as the server's own ID.
	datagram := append([]byte{}, buffer[:count]...)
	hello = crypto(answering, datagram)
	answering.take(datagram)
	for !opening.isDone {
		count := must(dialer.Read(buffer))
		opening.take(append([]byte{}, buffer[:count]...))
		opening.other = serverName
	}
	for !answering.isDone {
		count := must(listener.Read(buffer))
		answering.take(append([]byte{}, buffer[:count]...))
	}
	return hello
}

// crypto returns the message in a client's first packet, after five bytes in place of a record header.
func crypto(e *end, datagram []byte) []byte {
	copied := append([]byte{}, datagram...)
	keys := e.receive[tls.QUICEncryptionLevelInitial]
	start := 6 + 8 + 1 + 8 + 1 + 2
	mask := make([]byte, 16)
	keys.header.Encrypt(mask, copied[start+4:start+20])
	copied[0] ^= mask[0] & 0x0F
	for index := range 4 {
		copied[start+index] ^= mask[1+index]
	}
	frames := must(keys.seal.Open(nil, keys.nonce(0), copied[start+4:], copied[:start+4]))
	return append(make([]byte, 5), frames[7:7+binary.BigEndian.Uint16(frames[5:])&0x3FFF]...)
}
