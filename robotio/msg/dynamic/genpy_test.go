package dynamic

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const debianPython = "/usr/bin/python3"

// genpyOracle reads [[type, full text, hex, JSON]]. It decodes the bytes and prints them as rostopic echo does, and
// encodes the JSON as rostopic pub does. Source: genpy.message, strify_message and fill_message_args.
const genpyOracle = `
import sys, json, io, yaml, genpy, genpy.dynamic, genpy.message
out = []
for name, text, data, value in json.load(sys.stdin):
    classes = genpy.dynamic.generate_dynamic(name, text)
    genpy.message._message_class_cache.update(classes)
    cls = classes[name]
    m = cls(); m.deserialize(bytes.fromhex(data))
    echo = yaml.load(genpy.message.strify_message(m) or '{}', Loader=yaml.CSafeLoader)
    m = cls(); genpy.message.fill_message_args(m, [value])
    b = io.BytesIO(); m.serialize(b)
    out.append([echo, b.getvalue().hex()])
json.dump(out, sys.stdout)
`

// TestAgainstGenpy uses genpy as the oracle: it prints the same values for our bytes as our JSON has, and encodes our
// JSON to the same bytes.
func TestAgainstGenpy(t *testing.T) {
	if exec.Command(debianPython, "-c", "import genpy, yaml").Run() != nil {
		t.Skip("no genpy: apt-get install python3-rospy")
	}
	type row struct {
		name, json string
		bytes      []byte
		value      any
	}
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	var rows []row
	var in [][4]any
	l := load(t, "nubot")
	for _, name := range l.Messages() {
		def := must.Get(l.Message(name))(t)
		c := compiled(t, def)
		b := random(nil, c.root, r)
		text := must.Get(c.AppendJSON(nil, b))(t)
		v := unbase64(t, def, parse(t, text))
		rows = append(rows, row{name, string(text), b, v})
		in = append(in, [4]any{name, def.Text, hex.EncodeToString(b), v})
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(debianPython, "-c", genpyOracle)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(raw), &stderr
	if raw, err = cmd.Output(); err != nil {
		t.Fatalf("genpy: %v\n%s", err, &stderr)
	}
	var out [][2]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	must.Do(t, d.Decode(&out))
	for i, row := range rows {
		must.Equal(t, differ(row.value, out[i][0]), "", "%s: where ours, %s, and genpy's, %v, differ", row.name,
			row.json, out[i][0])
		must.Equal(t, hex.EncodeToString(row.bytes), out[i][1].(string), "%s: %s", row.name, row.json)
	}
}

func parse(t *testing.T, text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	must.Do(t, d.Decode(&v))
	return v
}

// unbase64 replaces base64 by lists, as genpy prints bytes.
func unbase64(t *testing.T, def *msg.Definition, v any) any {
	m := v.(map[string]any)
	for _, f := range def.Fields {
		nested := def.Nested(f.Base)
		switch {
		case f.Len != msg.NoArray && (f.Base == "uint8" || f.Base == "char"):
			b := must.Get(base64.StdEncoding.DecodeString(m[f.Name].(string)))(t)
			list := []any{}
			for _, x := range b {
				list = append(list, json.Number(strconv.Itoa(int(x))))
			}
			m[f.Name] = list
		case nested != nil && f.Len == msg.NoArray:
			unbase64(t, nested, m[f.Name])
		case nested != nil:
			for _, e := range m[f.Name].([]any) {
				unbase64(t, nested, e)
			}
		}
	}
	return v
}

// differ returns where two values differ, or "". It allows for YAML 1.1, which reads numbers without a dot as text, and
// for float32, which is printed with the digits of a float64.
func differ(a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		m, _ := b.(map[string]any)
		if len(m) != len(a) {
			return ": fields"
		}
		for k := range a {
			if w := differ(a[k], m[k]); w != "" {
				return "." + k + w
			}
		}
	case []any:
		l, _ := b.([]any)
		if len(l) != len(a) {
			return ": length"
		}
		for i := range a {
			if w := differ(a[i], l[i]); w != "" {
				return "[" + strconv.Itoa(i) + "]" + w
			}
		}
	case json.Number:
		text := strings.TrimSpace(toText(b))
		if string(a) == text {
			return ""
		}
		x, err1 := strconv.ParseFloat(string(a), 64)
		y, err2 := strconv.ParseFloat(text, 64)
		if err1 != nil || err2 != nil || float32(x) != float32(y) {
			return ": " + string(a) + " and " + text
		}
	default:
		if a != b {
			return ": values"
		}
	}
	return ""
}

func toText(v any) string {
	switch v := v.(type) {
	case json.Number:
		return string(v)
	case string:
		return v
	}
	return ""
}
