package tcpros

import (
	"bytes"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// FuzzHeader checks that no bytes make the header reader panic, and that accepted headers survive writing.
func FuzzHeader(f *testing.F) {
	var b bytes.Buffer
	must.Do(f, (Header{"topic": "/t", "md5sum": "*", "message_definition": "int32 a=1\n"}).Write(&b))
	f.Add(b.Bytes())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{8, 0, 0, 0, 9, 0, 0, 0, 'a', '=', 'b', 'c'})
	many := []byte{0, 0, 2, 0} // MaxHeader
	for i := range (MaxHeader - 8) / 8 {
		many = append(many, 4, 0, 0, 0, byte(i), byte(i>>8), '=', 'x')
	}
	f.Add(append(many, 4, 0, 0, 0, 'a', '=', 'b', 'c'))
	f.Fuzz(func(t *testing.T, in []byte) {
		var h Header
		var err error
		allocs.AtMost(t, allocs.ParseLimit, func() { h, err = ReadHeader(bytes.NewReader(in)) })
		if err != nil {
			return
		}
		var out bytes.Buffer
		must.Do(t, h.Write(&out))
		again, err := ReadHeader(&out)
		if err != nil || len(again) != len(h) {
			t.Errorf("%v became %v, %v", h, again, err)
		}
	})
}
