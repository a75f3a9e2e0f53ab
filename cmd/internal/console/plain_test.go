package console

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Control characters appear as escapes, and other text stays as it is.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"plain\tcells\nand lines\n":     "plain\tcells\nand lines\n",
		"größer 球 ✓ é\n":                "größer 球 ✓ é\n",
		"\x1b]0;pwned\x07\x1b[2J\x1b[m": `\u001b]0;pwned\u0007\u001b[2J\u001b[m`,
		"over\rwritten\b\x7f\x00":       `over\u000dwritten\u0008\u007f\u0000`,
		"C1: \u009b31m \u0085":          `C1: \u009b31m \u0085`,
		"8 bits: \x9b31m\xff":           `8 bits: \x9b31m\xff`,
		"reversed \u202e\u2066\u200f":   `reversed \u202e\u2066\u200f`,
		"\u2028\u2029":                  `\u2028\u2029`,
		"a replacement \ufffd stays":    "a replacement \ufffd stays",
	} {
		var out bytes.Buffer
		con := Streams{Out: &out, Err: &out}.Plain()
		n, err := io.WriteString(con.Err, text)
		if err != nil || n != len(text) || out.String() != want {
			t.Errorf("%q: wrote %d bytes as %q (%v), want %d as %q", text, n, out.String(), err, len(text), want)
		}
		out.Reset()
		for i := range len(text) { // in pieces of one byte
			must.Get(con.Out.Write([]byte(text[i : i+1])))(t)
		}
		must.Equal(t, out.String(), want, "%q in pieces", text)
		line := OneLine(text)
		if strings.ContainsAny(line, "\n\t") || strings.NewReplacer(`\u000a`, "\n", `\u0009`, "\t").Replace(line) != want {
			t.Errorf("%q in one line: %q, want %q without newlines and tabs", text, line, want)
		}
	}
}

// JSON stays JSON with the same content, and data stay as they are.
func TestPlainKeepsJSONAndData(t *testing.T) {
	var out bytes.Buffer
	con := Streams{Out: &out, Err: io.Discard}.Plain()
	want := "\x1b[2J \x7f \u009b \u202e 球"
	must.Do(t, WriteJSON(con.Out, want))
	var got string
	if must.Do(t, json.Unmarshal(out.Bytes(), &got)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	if must.Get(io.WriteString(con.Data(), "\x00\xff\x1b"))(t); out.String() != "\x00\xff\x1b" {
		t.Errorf("got data %q", out.String())
	}
	out.Reset()
	con.shown = true // on a terminal
	if must.Get(io.WriteString(con.Data(), "\x1b"))(t); out.String() != `\u001b` {
		t.Errorf("got data %q on a terminal", out.String())
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte("\x1b[2J球"), []byte("\x9b\xe7"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var out bytes.Buffer
		con := Streams{Out: &out}.Plain()
		must.Get(con.Out.Write(a))(t)
		must.Get(con.Out.Write(b))(t)
		if i := strings.IndexFunc(out.String(), func(r rune) bool {
			return controls(r) && r != '\n' && r != '\t'
		}); i >= 0 {
			t.Errorf("%q and %q: %q", a, b, out.String())
		}
	})
}
