package main

import (
	"database/sql"
	"fmt"
	"os"
	"time"

	_ "github.com/marcboeker/go-duckdb"
)

func main() {
	os.Remove("/tmp/zz.duckdb")
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&allow_community_extensions=false&threads=2&lock_configuration=true")
	if err != nil {
		panic(err)
	}
	c := db
	db.SetMaxOpenConns(1)
	do := func(q string, args ...any) {
		t := time.Now()
		rows, err := c.Query(q, args...)
		if err != nil {
			fmt.Println(q, "ERR", err)
			return
		}
		defer rows.Close()
		cols, _ := rows.Columns()
		for rows.Next() {
			vals := make([]any, len(cols))
			ptrs := make([]any, len(cols))
			for i := range vals {
				ptrs[i] = &vals[i]
			}
			rows.Scan(ptrs...)
			for _, v := range vals {
				fmt.Printf("%T %v | ", v, v)
			}
		}
		fmt.Println(q, time.Since(t), rows.Err())
	}
	do("attach '/tmp/zz.duckdb' as run")
	do("create table run.t as select i, sqrt(i)::DOUBLE d, 'op'||(i%1000) s, 'job'||i u from range(5000000) r(i)")
	do("select sum(i), count(i) from run.t")
	do("select sum(hash(d)::HUGEINT) from run.t")
	do("select sum((d::BIT::BIGINT)) from run.t")
	do("select (1.5::DOUBLE)::BIT::BIGINT, (-1.5::DOUBLE)::BIT::UBIGINT")
	do("select sum(md5_number_lower(v)::HUGEINT*n), sum(n) from (select s v, count(*) n from run.t where s is not null group by s)")
	do("select sum(md5_number_lower(u)::HUGEINT) from run.t")
	do("select bit_xor(hash(u)), bit_xor(hash(d)) from run.t")
	do("use run")
	do("create view v as select count(*) n from t")
	do("create macro mm(x) as x+1")
	do("select * from v")
	do("select i from t where i > $sla order by i limit 1", sql.Named("sla", 12.5))
	do("comment on column run.t.i is 'x'")
	do("select to_json({'a':1,'b':[1,2]})::VARCHAR, printf('%.3f',1.5), epoch_us(TIMESTAMP '2020-01-01')")
	do("checkpoint run")
	db.Close()
	db, err = sql.Open("duckdb", "/tmp/zz.duckdb?access_mode=read_only")
	c = db
	do("select * from v")
	do("select mm(2)")
	do("select database_name, sql from duckdb_views() where not internal")
	db.Close()
}
