// Package dnsapi talks to the DNS provider of case P027.
package dnsapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

type Record struct {
	Host    string   `json:"host"`
	Targets []string `json:"targets"`
	ETag    string   `json:"-"`
}

type Client struct {
	HTTP *http.Client
	Base string
}

func (c *Client) Read(ctx context.Context, host string) (r Record, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+"/records/"+host, nil)
	if err != nil {
		return r, err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&r)
	r.ETag = resp.Header.Get("ETag")
	return r, err
}

func (c *Client) Write(ctx context.Context, r Record) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, c.Base+"/records/"+r.Host, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.HTTP.Do(req) // want `unfencedwrite \(external\)`
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("dns: %s", resp.Status)
	}
	return nil
}
