package xmlrpc

import (
	"context"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
)

// fill repeats part between head and tail, to almost 1 MiB.
func fill(head, part, tail string) []byte {
	return []byte(head + strings.Repeat(part, (1<<20-1-len(head)-len(tail))/len(part)) + tail)
}

// costly returns bodies of almost 1 MiB with as many elements of one kind as possible.
func costly() map[string][]byte {
	const head, tail = "<methodCall><methodName>m</methodName><params>", "</params></methodCall>"
	const list, end = head + "<param><value><array><data>", "</data></array></value></param>" + tail
	return map[string][]byte{
		"empty values":  fill(list, "<value/>", end),
		"integers":      fill(list, "<value><i4>1</i4></value>", end),
		"empty arrays":  fill(list, "<value><array><data/></array></value>", end),
		"empty structs": fill(list, "<value><struct/></value>", end),
		"members": fill(head+"<param><value><struct>", "<member><name>a</name><value/></member>",
			"</struct></value></param>"+tail),
		"parameters":     fill(head, "<param><value/></param>", tail),
		"attributes":     fill(list+"<value ", `a="" `, "/>"+end),
		"comments":       fill(list, "<!---->", end),
		"instructions":   fill(list, "<?a?>", end),
		"white space":    fill(list, " ", end),
		"references":     fill(list+"<value>", "&lt;", "</value>"+end),
		"pieces of text": fill(list+"<value>", "x<!---->", "</value>"+end),
		"a long name":    fill("<", "a", ">"),
		"open elements":  fill(list, "<value><array><data>", ""),
		"name spaces":    fill(list+"<value ", `xmlns:a="" `, "/>"+end),
		"base64":         fill(list+"<value><base64>", "AAAA ", "</base64></value>"+end),
		"calls at once": fill(
			"<methodCall><methodName>system.multicall</methodName><params><param><value><array><data>",
			"<value><struct><member><name>methodName</name><value>m</value></member><member><name>params</name>"+
				"<value><array><data/></array></value></member></struct></value>", end),
	}
}

// TestAllocs bounds the memory for any body of less than 1 MiB.
func TestAllocs(t *testing.T) {
	response := strings.NewReplacer("methodCall", "methodResponse", "<methodName>m</methodName>", "")
	for name, body := range costly() {
		t.Run(name, func(t *testing.T) {
			allocs.AtMost(t, allocs.ParseLimit, func() { _, _, _ = decodeCall(body) })
			answer := []byte(response.Replace(string(body)))
			allocs.AtMost(t, allocs.ParseLimit, func() { _, _ = decodeResponse(answer) })
		})
	}
}

// TestMulticallIsBounded checks that the large results of many calls in one body are bounded together.
func TestMulticallIsBounded(t *testing.T) {
	s := &Server{handler: func(context.Context, string, []any) (any, error) { return strings.Repeat("x", 1<<19), nil }}
	body := costly()["calls at once"]
	var out []byte
	allocs.AtMost(t, allocs.ParseLimit, func() { out = s.answer(t.Context(), body) })
	v, err := decodeResponse(out)
	results, _ := v.([]any)
	if err != nil || len(results) < 1000 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	if first, _ := results[0].([]any); len(first) != 1 {
		t.Errorf("the first result: %.80v", results[0])
	}
	last, _ := results[len(results)-1].(map[string]any)
	if text, _ := last["faultString"].(string); !strings.Contains(text, "must be at most 4194304 bytes") {
		t.Errorf("the last result: %.80v", results[len(results)-1])
	}
}
