package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

func TestBindErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"range", "name='a'\nstep_ms = 0", []string{"w.toml:2:1: step_ms = 0: must lie in (0, 100]"}},
		{"range, open at infinity", "name='a'\ndrag.air = inf", []string{
			"w.toml:2:6: drag: air = inf: must lie in [0, inf)"}},
		{"no number", "name='a'\nlimit_m = nan\ngain = +inf\nwind_m_s = [0, nan, 0]", []string{
			"w.toml:2:1: limit_m = nan: must lie in (0, inf]",
			"w.toml:3:1: gain = +inf: must be finite",
			"w.toml:4:16: wind_m_s[1] = nan: must be finite"}},
		{"types", "name = 1\nseed = 1.5\nstep_ms = \"fast\"\nwind_m_s = 1\ntags = {}\nloud = 0\ngain = true\nlamp = 'x'", []string{
			"w.toml:1:1: name = 1: must be a string",
			"w.toml:2:1: seed = 1.5: must be an integer",
			`w.toml:3:1: step_ms = "fast": must be a number`,
			"w.toml:4:1: wind_m_s = 1: must be an array",
			"w.toml:5:1: tags = {}: must be an array",
			"w.toml:6:1: loud = 0: must be true or false",
			"w.toml:7:1: gain = true: must be a number",
			"w.toml:8:1: lamp = 'x': must be a table"}},
		{"dates", "name = 1979-05-27\nseed = 07:32:00", []string{
			"w.toml:1:1: name = 1979-05-27: must be a string",
			"w.toml:2:1: seed = 07:32:00: must be an integer"}},
		{"integers", "name='a'\nsmall = 128\ncount = 256", []string{
			"w.toml:2:1: small = 128: must lie in [-128, 127]",
			"w.toml:3:1: count = 256: must lie in [0, 255]"}},
		{"negative", "name='a'\ncount = -1", []string{"w.toml:2:1: count = -1: must lie in [0, 255]"}},
		{"numbers that 64 bits cannot hold", "name='a'\nlimit_m = -1e400\ngain = 1e400\nwind_m_s = [0, -1e999, " +
			"0]\nseed = 99_999_999_999_999_999_999\nsmall = 0xffffffffffffffffff\ncount = -99999999999999999999 # a " +
			"comment\n" +
			"any = {f = [99999999999999999999], g = 1e400}\nstep_ms = 1e400\nsede = 1e400", []string{
			"w.toml:2:1: limit_m = -1e400: must lie in (0, inf]",
			"w.toml:3:1: gain = 1e400: must lie in [-1.797e308, 1.797e308]",
			"w.toml:4:16: wind_m_s[1] = -1e999: must lie in [-1.797e308, 1.797e308]",
			"w.toml:5:1: seed = 99_999_999_999_999_999_999: must lie in [-2^63, 2^63-1]",
			"w.toml:6:1: small = 0xffffffffffffffffff: must lie in [-128, 127]",
			"w.toml:7:1: count = -99999999999999999999: must lie in [0, 255]",
			"w.toml:8:13: any: f[0] = 99999999999999999999: must lie in [-2^63, 2^63-1], as all integers of TOML",
			"w.toml:8:36: any: g = 1e400: must lie in [-1.797e308, 1.797e308]",
			"w.toml:9:1: step_ms = 1e400: must lie in (0, 100]",
			"w.toml:10:1: sede = 1e400: unknown key; did you mean seed?"}},
		{"far too short", "name='a'\nstep_ms=4e-7", []string{"w.toml:2:1: step_ms = 4e-7: must lie in (0, 100]"}},
		{"empty name", "name=''", []string{"w.toml:1:1: name = '': must not be empty"}},
		{"far too long", "name='a'\n[[robot]]\nname='r'\nsensor=[{name='s', rate_hz=1, latency_ms=1e300}]", []string{
			"w.toml:4:31: robot[0].sensor[0]: latency_ms = 1e300: must be shorter than 292 years"}},
		{"choice", "name='a'\nengine = \"odr\"", []string{
			`w.toml:2:1: engine = "odr": must be one of ode, planar; did you mean ode?`}},
		{"choice, nothing near", "name='a'\nengine = \"bullet\"", []string{
			`w.toml:2:1: engine = "bullet": must be one of ode, planar`}},
		{"name", "name = \"2nd team\"", []string{
			`w.toml:1:1: name = "2nd team": must be a name: a letter, then letters, digits, _ or -`}},
		{"long name", "name = \"" + strings.Repeat("a", 65) + "\"", []string{
			`w.toml:1:1: name = "` + strings.Repeat("a", 58) + `…: must be a name of at most 64 characters`}},
		{"length", "name='a'\ntags = [ ]", []string{"w.toml:2:1: tags = [ ]: must have at least 1 element"}},
		{"fixed length", "name='a'\nwind_m_s = [1,\n  2]", []string{
			"w.toml:2:1: wind_m_s = [1, 2]: must have 3 elements, has 2"}},
		{"unknown key", "name='a'\nsede = 1\n\"\u00fc x\" = 2", []string{
			"w.toml:2:1: sede = 1: unknown key; did you mean seed?",
			"w.toml:3:1: \"\u00fc x\" = 2: unknown key"}},
		{"unknown table", "name='a'\n[robt]\nname='b'\nx=1", []string{
			"w.toml:2:1: robt: unknown key; did you mean robot?"}},
		{"unknown unit", "name='a'\n[[robot]]\nname='r'\n  [[robot.sensor]]\n  name='s'\n  rate_ms = 5\n  rate_hz = " +
			"1\n  Fov-deg = 1", []string{
			"w.toml:6:3: robot[0].sensor[0]: rate_ms = 5: unknown key; did you mean rate_hz?",
			"w.toml:8:3: robot[0].sensor[0]: Fov-deg = 1: unknown key; did you mean fov_deg?"}},
		{"unknown far unit", "name='a'\nlimit_percent = 5", []string{
			"w.toml:2:1: limit_percent = 5: unknown key; did you mean limit_m?"}},
		{"old name", "name='a'\n[[robot]]\nname='r'\nsensor=[{name='s', rate_hz=1, angle_deg=9}]", []string{
			"w.toml:4:31: robot[0].sensor[0]: angle_deg = 9: is now fov_deg"}},
		{"missing", "[[robot]]\n  [[robot.sensor]]\n  name = 's'\n[field]\n", []string{
			"w.toml:1:1: name: must be given",
			"w.toml:1:1: robot[0]: name: must be given",
			"w.toml:2:3: robot[0].sensor[0]: rate_hz: must be given"}},
		{"one table for many", "name='a'\n[robot]\nname='b'", []string{
			"w.toml:2:1: robot: must be an array of tables, written [[robot]]"}},
		{"many tables for one", "name='a'\nlamp=[{}]\n[[drag]]", []string{
			"w.toml:2:1: lamp = [{}]: must be a table", "w.toml:3:1: drag: must be a table"}},
		{"value for a table", "name='a'\nrobot = [1, {name='b', pose=2}]", []string{
			"w.toml:2:10: robot[0] = 1: must be a table",
			"w.toml:2:24: robot[1]: pose = 2: must be a table"}},
		{"same name twice", "name='a'\n[[robot]]\nname='r'\n[[robot]]\nname='r'", []string{
			"w.toml:5:1: robot[1]: name = 'r': already used in line 3"}},
		{"name of a wrong type", "name='a'\n[[robot]]\nname=1",
			[]string{"w.toml:3:1: robot[0]: name = 1: must be a string"}},
		{"inline tables and arrays", "name='a'\ngrid = [[0, 2], # no, 9]\n  [ [], -1 ]]\nany={x=[{y=1}]}", []string{
			"w.toml:2:13: grid[0][1] = 2: must lie in [0, 1]",
			"w.toml:3:5: grid[1][0] = []: must be a number",
			"w.toml:3:9: grid[1][1] = -1: must lie in [0, 1]"}},
		{"dotted keys", "name='a'\n[[robot]]\nname='r'\npose.heading_deg = 361\npose . y_m = 1", []string{
			"w.toml:4:6: robot[0].pose: heading_deg = 361: must lie in [-360, 360]",
			"w.toml:5:8: robot[0].pose: y_m = 1: unknown key; did you mean x_m?"}},
		{"characters, not bytes", "name='a'\nany={'ß€𝄞'='é', b=1}\nrobot=[{name='ß', pose={x_m='x'}}]", []string{
			"w.toml:3:9: robot[0]: name = 'ß': must be a name: a letter, then letters, digits, _ or -",
			"w.toml:3:25: robot[0].pose: x_m = 'x': must be a number"}},
		{"map keys", "name='a'\ndrag = { \"a b\" = 1, c = -1 }", []string{
			`w.toml:2:10: drag: "a b" = 1: must be a name: a letter, then letters, digits, _ or -`,
			"w.toml:2:21: drag: c = -1: must lie in [0, inf)"}},
		{"hook", "name='a'\nfield = 'msl'",
			[]string{"w.toml:2:1: field = 'msl': must be the name of a field or a table"}},
		{"hook, neither", "name='a'\nfield = 7", []string{"w.toml:2:1: field = 7: must be a name or a table"}},
		{"hook, table", "name='a'\n[field]\nlength_m = 100", []string{"w.toml:3:1: field: length_m = 100: must lie " +
			"in (0, 100)"}},
		{"long value", "name = '" + strings.Repeat("ß", 5000) + "'", []string{
			"w.toml:1:1: name = '" + strings.Repeat("ß", 58) + "…: must be a name: a letter, then letters, digits, _ " +
				"or -"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, text := range []string{c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
				w := defaultWorld()
				_, err := bind(text, &w)
				wantErrors(t, err, c.want...)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"syntax", "a = 1\nb = = 2", []string{"w.toml:2:5: unexpected character U+003D '=' at start of value"}},
		{"syntax, characters", "a = 'é' b", []string{"w.toml:1:9: expected newline but got U+0062 'b'"}},
		{"open string", "a = 'x", []string{"w.toml:1:6: unterminated literal string"}},
		{"open string, characters", "a = \"얖", []string{"w.toml:1:6: unterminated basic string"}},
		{"no date", "a = 1979-13-01", []string{"w.toml:1:10: impossible date"}},
		{"same keys", "a = 1\n  a = 2\nb = {c = 1,\tc = 2}\nd.e = 1\nd.e = 2\n\"a\" = 3", []string{
			"w.toml:2:3: a: already defined in line 1",
			"w.toml:3:13: c: already defined in line 3",
			"w.toml:5:3: e: already defined in line 4",
			"w.toml:6:1: a: already defined in line 1"}},
		{"same tables", "[a]\n[b]\n  [a]\n[a.b]\n[[a]]\n[c.d]\n[c]\n[c]", []string{
			"w.toml:3:3: a: already defined in line 1",
			"w.toml:5:1: a: already defined in line 1",
			"w.toml:8:1: c: already defined in line 7"}},
		{"table or value", "a = 1\nb = []\n[a.c]\n[[b]]\n[a]\n[[d]]\n[d]", []string{
			"w.toml:3:2: a: already defined in line 1",
			"w.toml:4:1: b: already defined in line 2",
			"w.toml:5:1: a: already defined in line 1",
			"w.toml:7:1: d: already defined in line 6"}},
		{"closed tables", "a = {b = 1}\n[a.c]", []string{"w.toml:2:2: key a already exists as a value"}},
		{"deep keys", strings.Repeat("a.", 40_000) + "a=1", []string{"w.toml:1:65: must be nested at most 32 levels " +
			"deep"}},
		{"deep arrays", "a = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), []string{
			"w.toml:1:37: must be nested at most 32 levels deep"}},
		{"deep tables", strings.Repeat("a={", 5000) + strings.Repeat("}", 5000), []string{
			"w.toml:1:99: must be nested at most 32 levels deep"}},
		{"many tables", strings.Repeat("[[a]]\n", 30_000), []string{"w.toml:20000:1: must hold at most 20000 tables"}},
		{"many keys", manyKeys(5001), []string{"w.toml:5001:1: must hold at most 5000 keys in a table"}},
		{"many values", "a = [" + strings.Repeat("1,", 50_001) + "]",
			[]string{"w.toml: 50002 of the characters ,.=: must be at most 50000"}},
		{"large file", strings.Repeat("#", 1<<20+1), []string{"w.toml: 1048577 bytes: must be at most 1 MiB"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := schema.Parse("w.toml", []byte(c.text))
			wantErrors(t, err, c.want...)
		})
	}
}

func manyKeys(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "k%d = 1\n", i)
	}
	return text.String()
}

func TestManyErrorsAreCut(t *testing.T) {
	_, err := bind(manyKeys(5000), &world{})
	list := schema.Flatten(err)
	if got, want := list[len(list)-1].Error(), "w.toml: and 4901 more errors"; len(list) != 101 || got != want {
		t.Errorf("%d errors, last %q; want 101, last %q", len(list), got, want)
	}
}

func TestFlattenSorts(t *testing.T) {
	at := func(file string, line, col int) error {
		return &schema.Error{Pos: schema.Pos{File: file, Line: line, Col: col}}
	}
	err := fmt.Errorf("%w%w", at("b", 1, 1), fmt.Errorf("%w%w%w", at("a", 10, 1), fmt.Errorf("else"), at("a", 9, 2)))
	var got []string
	for _, e := range schema.Flatten(err) {
		got = append(got, e.Error())
	}
	if diff := cmp.Diff([]string{"a:9:2", "a:10:1", "b:1:1", "else"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
