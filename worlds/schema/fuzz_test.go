package schema_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// FuzzParseBind looks for input that panics, for positions outside the file, and for values that Bind accepts and Check
// does not.
func FuzzParseBind(f *testing.F) {
	for _, text := range []string{
		"", "name = 'a'", "name = 'a'\r\nseed = 0x2A\n[field]\nlength_m = 1\nwidth_m = 2",
		"name='a'\n[[robot]]\nname='r'\n[[robot.sensor]]\nname='s'\nrate_hz=1_0.0\nmirror={rim_radius_mm=1}",
		"a.\"b c\".d = [1, [], {x = '''y\n''', z.w = true}, # no\n nan, -inf, 1979-05-27T07:32:00Z]",
		"[robot]\n[[robot]]\n[lamp.x]\n[lamp]\ndrag={a=1e400}\nstep_ms=1e-400", "any={list=[[[]]]}\ngrid=[[0,1],[2]]",
		"\"\\u00e9\"='é' x", "tags=[\"a\",\"ß\"]\ncount=-1\nsmall=999\nfield='msl-18x12'",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var file *schema.File
		var err error
		allocs.AtMost(t, allocs.ParseLimit, func() { file, err = schema.Parse("f", data) })
		w := defaultWorld()
		if err == nil {
			if err = file.Bind(&w); err == nil {
				for _, r := range w.Robots {
					for i := range r.Sensors {
						r.Sensors[i].Mirror = nil // has its own rule, which Bind does not check
					}
				}
				if err := schema.Check(&w); err != nil {
					t.Errorf("bound, but %v", err)
				}
			}
		}
		lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
		for _, e := range schema.Flatten(err) {
			at, ok := e.(*schema.Error)
			if !ok {
				t.Fatalf("%T: %v", e, e)
			}
			if at.Rule == "" || at.Line == 0 {
				continue
			}
			if at.Line > len(lines) || at.Col < 1 || at.Col > utf8.RuneCount(lines[at.Line-1])+1 {
				t.Errorf("%v: outside the file", at)
			}
		}
	})
}

// A megabyte of the input that takes the most memory for its length is parsed, or refused, within the limit.
func TestAMegabyteTakesSixtyFour(t *testing.T) {
	fill := func(before, unit, after string) string {
		return before + strings.Repeat(unit, (schema.MaxBytes-len(before)-len(after))/len(unit)) + after
	}
	var keys, tables strings.Builder
	for i := 0; keys.Len() < schema.MaxBytes-100; i++ {
		fmt.Fprintf(&keys, "[t%d]\n", i)
		for k := 0; k < 4_000 && keys.Len() < schema.MaxBytes-20; k++ {
			fmt.Fprintf(&keys, "%x=1\n", k)
		}
	}
	for i := 0; i < 19_000; i++ {
		fmt.Fprintf(&tables, "[%x]\na=1\nb=[{}]\n", i)
	}
	for name, text := range map[string]string{
		"comments":         fill("", "#\n", ""),
		"blank lines":      fill("", "\n", ""),
		"digits":           fill("a=[", "1,", "]"),
		"empty arrays":     fill("a=[", "[],", "]"),
		"empty tables":     fill("a=[", "{},", "]"),
		"empty strings":    fill("a=[", "'',", "]"),
		"nested arrays":    fill("a=", "[", ""),
		"table headers":    fill("", "[[a]]\n", ""),
		"dotted keys":      fill("", "a.", "=1"),
		"inline tables":    fill("a=[", "{a=1},", "]"),
		"one long string":  fill("a='", "x", "'"),
		"escapes":          fill("a=\"", "\\u00e9", "\""),
		"keys":             keys.String(),
		"tables":           tables.String(),
		"keys of one kind": fill("", "a=1\n", ""),
		"control":          fill("", "\x00", ""),
		"unclosed":         fill("a='''", "\n", ""),
	} {
		t.Run(name, func(t *testing.T) {
			if len(text) > schema.MaxBytes {
				t.Fatalf("%d bytes", len(text))
			}
			w := defaultWorld()
			allocs.AtMost(t, allocs.ParseLimit, func() {
				if file, err := schema.Parse("f", []byte(text)); err == nil {
					_ = file.Bind(&w)
				}
			})
		})
	}
}
