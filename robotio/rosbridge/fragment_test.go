package rosbridge

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestFragmentsRefuse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"op":"fragment","data":"x","num":0,"total":1}`, "must have an id"},
		{`{"op":"fragment","id":"1","data":5,"num":0,"total":1}`, "data that is a string"},
		{`{"op":"fragment","id":"1","data":"x","num":1,"total":1}`, "num = 1 of total = 1: total must be in [1, " +
			"65536], num below it"},
		{`{"op":"fragment","id":"1","data":"x","num":-1,"total":1}`, "num = -1"},
		{`{"op":"fragment","id":"1","data":"x","num":0,"total":1e9}`, "total = 1e+09"},
		{`{"op":"fragment","id":"1","data":"x","num":0,"total":1.5}`, "total = 1.5"},
		{`{"op":"fragment","id":"1","data":"` + strings.Repeat("x", 101) + `","num":0,"total":2}`,
			"more than 100 bytes"},
	} {
		r := must.Get(parse([]byte(c.in)))(t)
		f := fragments{most: 100}
		must.Refuse(f.add(r))(t, c.want, c.in)
		if f.size != 0 {
			t.Errorf("%s: %d bytes are kept", c.in, f.size)
		}
	}
}

// A client cannot start an unlimited number of fragmented messages.
func TestFragmentsAreBounded(t *testing.T) {
	f := fragments{most: 1000}
	var err error
	for i := 0; err == nil && i < 100; i++ {
		r := must.Get(parse(fmt.Appendf(nil, `{"op":"fragment","id":"%d","data":"x","num":0,"total":2}`, i)))(t)
		_, err = f.add(r)
	}
	if err == nil || len(f.open) != maxOpen {
		t.Errorf("%d messages wait: %v", len(f.open), err)
	}
	r, _ := parse([]byte(`{"op":"fragment","id":"0","data":"y","num":1,"total":2}`))
	if b, err := f.add(r); string(b) != "xy" || err != nil {
		t.Errorf("%s, %v", b, err)
	}
	r, _ = parse([]byte(`{"op":"fragment","id":"1","data":"y","num":0,"total":2}`))
	must.Refuse(f.add(r))(t, "num = 0: has been received already")
}

// Go's PNG decoder returns the text, padded with line feeds.
func TestPackPNG(t *testing.T) {
	for n := range 200 {
		text := []byte(strings.Repeat("{ä}", n)[:n])
		b := must.Get(packPNG(text))(t)
		img := must.Get(png.Decode(bytes.NewReader(b)))(t)
		var got []byte
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				got = append(got, byte(r>>8), byte(g>>8), byte(b>>8))
			}
		}
		if want := append(text, bytes.Repeat([]byte{'\n'}, len(got)-n)...); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %q", n, got)
		}
	}
}
