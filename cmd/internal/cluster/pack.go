package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/omnipitch/omnipitch/worlds"
)

// MostUnpacked is the maximum size of an unpacked bundle, in bytes. It is the limit of package worlds for a bundle in
// JSON.
const MostUnpacked = 128 << 20

// Pack compresses a bundle and returns its checksum.
func Pack(b worlds.Bundle) (data []byte, sum string, err error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, "", err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, "", err
	}
	data = enc.EncodeAll(text, nil)
	hash := sha256.Sum256(data)
	return data, hex.EncodeToString(hash[:]), nil
}

// Unpack unpacks a bundle after verifying its checksum.
func Unpack(data []byte, sum string) (b worlds.Bundle, err error) {
	if hash := sha256.Sum256(data); hex.EncodeToString(hash[:]) != sum {
		return nil, errors.New("bundle of the world: wrong checksum")
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MostUnpacked))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	text, err := dec.DecodeAll(data, nil)
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle of the world: %w", err)
	}
	return b, nil
}
