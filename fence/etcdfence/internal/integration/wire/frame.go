package wire

import (
	"encoding/binary"
	"io"

	"golang.org/x/net/http2"
)

// A frame is one frame of HTTP/2 with its head of nine bytes.
type frame []byte

const headLength = 9

func (f frame) kind() http2.FrameType { return http2.FrameType(f[3]) }
func (f frame) flags() http2.Flags    { return http2.Flags(f[4]) }
func (f frame) stream() uint32        { return binary.BigEndian.Uint32(f[5:]) &^ (1 << 31) }
func (f frame) payload() []byte       { return f[headLength:] }

// block is the header block of a frame of headers. gRPC's client pads none.
func (f frame) block() []byte {
	b := f.payload()
	if f.flags().Has(http2.FlagHeadersPriority) {
		b = b[5:]
	}
	return b
}

// A reader cuts a connection into frames.
type reader struct{ from io.Reader }

// exactly gives n bytes, nil at the end of the connection.
func (r reader) exactly(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(r.from, b); err != nil {
		return nil
	}
	return b
}

func (r reader) next() frame {
	head := r.exactly(headLength)
	if head == nil {
		return nil
	}
	length := int(head[0])<<16 | int(head[1])<<8 | int(head[2])
	f := make(frame, headLength+length)
	copy(f, head)
	if _, err := io.ReadFull(r.from, f[headLength:]); err != nil {
		return nil
	}
	return f
}
