package assess

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

var pageTo = flag.String("page", "", "write the page of TestPage into this file, to be looked at")

// checkPage fails the test unless the page is well formed, refers to no other file, and has no NaN or infinite figure.
func checkPage(t *testing.T, r *Result) string {
	t.Helper()
	var page bytes.Buffer
	if err := r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	if *pageTo != "" {
		if err := os.WriteFile(*pageTo, page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := page.String()
	plain := regexp.MustCompile(`base64,[^"]*`).ReplaceAllString(text, "") // image data may contain any text
	for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ", `src="http`, `href="http`, "url("} {
		if strings.Contains(plain, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for rest := text; ; { // each picture is a separate XML document
		_, svg, found := strings.Cut(rest, "<svg")
		if !found {
			break
		}
		svg, after, closed := strings.Cut(svg, "</svg>")
		if !closed {
			t.Fatal("a picture does not end")
		}
		d := xml.NewDecoder(strings.NewReader("<svg" + svg + "</svg>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("a picture: %v", err)
			}
		}
		rest = after
	}
	return text
}

// checkFiles fails the test unless the other files can be read and hold as many samples as there are.
func checkFiles(t *testing.T, r *Result) {
	t.Helper()
	var table bytes.Buffer
	if err := r.WriteCSV(&table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(rows) != len(r.Samples)+1 {
		t.Errorf("%d rows of %d samples, %v", len(rows), len(r.Samples), err)
	}
	text, err := json.Marshal(r)
	if err != nil || !json.Valid(text) {
		t.Errorf("%s, %v", text, err)
	}
}
