package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

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
