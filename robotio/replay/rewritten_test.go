package replay

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// rewritten copies an MCAP file with MCAP's library.
func rewritten(t *testing.T, path string, o mcap.WriterOptions) string {
	t.Helper()
	in := must.Get(os.ReadFile(path))(t)
	var out bytes.Buffer
	w := must.Get(mcap.NewWriter(&out, &o))(t)
	lexer := must.Get(mcap.NewLexer(bytes.NewReader(in), &mcap.LexerOptions{AttachmentCallback: func(
		a *mcap.AttachmentReader) error {
		return w.WriteAttachment(&mcap.Attachment{Name: a.Name, MediaType: a.MediaType, DataSize: a.DataSize,
			Data: a.Data()})
	}}))(t)
	defer lexer.Close()
	for token := mcap.TokenHeader; token != mcap.TokenDataEnd; {
		next, b, err := lexer.Next(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		must.Do(t, err)
		switch token = next; token {
		case mcap.TokenHeader:
			err = w.WriteHeader(must.Get(mcap.ParseHeader(b))(t))
		case mcap.TokenSchema:
			err = w.WriteSchema(must.Get(mcap.ParseSchema(b))(t))
		case mcap.TokenChannel:
			err = w.WriteChannel(must.Get(mcap.ParseChannel(b))(t))
		case mcap.TokenMessage:
			err = w.WriteMessage(must.Get(mcap.ParseMessage(b))(t))
		case mcap.TokenMetadata:
			err = w.WriteMetadata(must.Get(mcap.ParseMetadata(b))(t))
		}
		must.Do(t, err)
	}
	must.Do(t, w.Close())
	to := filepath.Join(t.TempDir(), "rewritten.mcap")
	must.Do(t, os.WriteFile(to, out.Bytes(), 0o600))
	return to
}

// A recording that another program has copied, with another compression or without chunks and summary, is a recording
// of the same run.
func TestRewrittenRecordings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	record(t, path, busy(t, "planar"), true, 200)
	want := must.Get(Open(path))(t)
	defer want.Close()
	bare := mcap.WriterOptions{SkipMessageIndexing: true, SkipStatistics: true, SkipRepeatedSchemas: true,
		SkipRepeatedChannelInfos: true, SkipAttachmentIndex: true, SkipMetadataIndex: true, SkipChunkIndex: true}
	chunks := bare
	chunks.Chunked, chunks.Compression = true, mcap.CompressionZSTD
	for name, o := range map[string]mcap.WriterOptions{"flat": {}, "flat without summary": bare,
		"chunks without summary": chunks, "lz4": {Chunked: true, Compression: mcap.CompressionLZ4},
		"not compressed": {Chunked: true, ChunkSize: 10_000, IncludeCRC: true}} {
		got := must.Get(Open(rewritten(t, path, o)))(t)
		got.Close()
		if got.Damage() != nil {
			t.Errorf("%s: got damage %v, want none", name, got.Damage())
		}
		must.Equal(t, got.Steps(), want.Steps(), "%s: steps", name)
		must.Equal(t, got.Spans, want.Spans, "%s: spans", name)
		must.Equal(t, len(got.inputs), len(want.inputs), "%s: inputs", name)
	}
}
