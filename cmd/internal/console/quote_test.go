package console

import "testing"

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{"planar": "planar", "": "''", "a b": "'a b'",
		"*.omni=raw": "'*.omni=raw'", "it's": `'it'\''s'`, "dir/w.toml": "dir/w.toml", "$(rm)": "'$(rm)'"} {
		if got := Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
